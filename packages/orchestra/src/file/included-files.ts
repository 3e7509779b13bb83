import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';

/** Nobody writes longer prompts; a file of another size is a mistake, or made to exhaust the memory. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Windows editors put it in front of a text. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/** Reads the files that a chains file refers to, and remembers them for its hash. */
export class IncludedFiles {
  #folder: string;
  #project: string;
  #contents = new Map<string, Buffer>();

  constructor(folder: string, project: string) {
    this.#folder = folder;
    this.#project = project;
  }

  /**
   * The absolute path of a file, from one relative to the chains file. In a file in `forge/orch`, it may also be relative
   * to the project.
   */
  resolve(path: string): string {
    const [beside, inProject] = [resolve(this.#folder, path), resolve(this.#project, path)];
    return existsSync(beside) || !existsSync(inProject) ? beside : inProject;
  }

  has(path: string): boolean {
    return statSync(this.resolve(path), { throwIfNoEntry: false })?.isFile() ?? false;
  }

  /** The text of a file; throws as `fs` does. Devices and pipes, which may never end, are not read. */
  read(path: string): string {
    const file = this.resolve(path);
    const status = statSync(file);
    if (!status.isFile()) throw new Error('it is not a file');
    if (status.size > MOST_BYTES) throw new Error('it is larger than 16 MB');
    const content = this.#contents.get(file) ?? readFileSync(file);
    this.#contents.set(file, content);
    return content.toString('utf8').replace(BYTE_ORDER_MARK, '');
  }

  /** Changes with the content of any of the files. */
  hash(): string {
    const hash = createHash('sha256');
    const files = [...this.#contents].map(
      ([path, content]) => [relative(this.#folder, path), content] as const,
    );
    for (const [path, content] of files.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      hash.update(JSON.stringify([path, content.length]));
      hash.update(content);
    }
    return hash.digest('hex');
  }
}
