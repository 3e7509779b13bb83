import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import { type ReadInsideOptions, readFileInside } from '@baton/config/paths/read-inside';

/** Windows editors put it in front of a text. */
const BYTE_ORDER_MARK = /^\uFEFF/;

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Reads the files that a chains file refers to, and remembers them for its hash. Only those of its project are read,
 * links followed: the file may come from anybody, and what it names ends up in prompts.
 */
export class IncludedFiles {
  #folder: string;
  #project: string;
  #options: ReadInsideOptions;
  #contents = new Map<string, Buffer>();

  constructor(folder: string, project: string, options: ReadInsideOptions = {}) {
    this.#folder = folder;
    this.#project = project;
    this.#options = options;
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
    const file = this.resolve(path);
    if (!isInside(this.#project, file)) return false;
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  }

  /** The text of a file; throws as `fs` does, or with the reason why the file is not read. */
  read(path: string): string {
    return this.#read(this.resolve(path), this.#project);
  }

  /** The text of the chains file itself. Where the user named it, it may be a link to another folder. */
  readChains(path: string, { followLinks }: { followLinks: boolean }): string {
    return this.#read(path, followLinks ? dirname(realpathSync(path)) : dirname(path));
  }

  #read(file: string, folder: string): string {
    const content = this.#contents.get(file) ?? readFileInside(folder, file, this.#options);
    this.#contents.set(file, content);
    return content.toString('utf8').replace(BYTE_ORDER_MARK, '');
  }

  /** SHA-256 of a file that was read. */
  hashOf(path: string): string {
    return sha256(this.#contents.get(this.resolve(path)) ?? '');
  }

  /** Changes with the content of any of the files, and with the folders elsewhere that the chains use. */
  hash(folders: readonly string[] = []): string {
    const hash = createHash('sha256');
    // Without such folders the hash stays that of earlier versions, so that nobody is asked again.
    if (folders.length > 0) hash.update(JSON.stringify(folders));
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
