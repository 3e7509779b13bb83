import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import type { WarningLog } from '@baton/contracts';
import { BatonError } from '@baton/protocol';

/** Larger files are skipped: they are not instructions. */
const MAX_FILE_BYTES = 1024 * 1024;

export type MarkdownFile = { readonly name: string; readonly content: string };

type CachedFile = { readonly version: string; readonly content: string };

/** Reads the `*.md` files of the configuration folder, and a file again only when it has changed. */
export class MarkdownConfigLoader {
  #folder: string;
  #log: WarningLog;
  #cache = new Map<string, CachedFile>();
  #warned = new Set<string>();

  /** Throws `config_invalid` if the folder is in the workspace, where the agent could rewrite its own instructions. */
  constructor(folder: string, workingDir: string, log: WarningLog = console) {
    if (isInside(workingDir, folder, { orEqual: true, inDoubt: true })) {
      throw new BatonError(
        'config_invalid',
        `The configuration folder ${folder} is inside the workspace ${workingDir}.`,
        { hint: 'Set BATON_GATEWAY_CONFIG_DIR to a folder that the agent does not work in.' },
      );
    }
    this.#folder = folder;
    this.#log = log;
  }

  /** The files as they are now, ordered by name; none if the folder does not exist. */
  async load(): Promise<MarkdownFile[]> {
    const names = await markdownNames(this.#folder);
    for (const name of this.#cache.keys()) if (!names.includes(name)) this.#cache.delete(name);
    const files: MarkdownFile[] = [];
    for (const name of names) {
      const content = await this.#read(name);
      if (content !== undefined) files.push({ name, content });
    }
    return files;
  }

  async #read(name: string): Promise<string | undefined> {
    if (!isInside(this.#folder, name)) {
      return this.#skip(name, 'it is a link to a file outside of the folder');
    }
    const path = join(this.#folder, name);
    try {
      const { mtimeMs, size, ino } = await stat(path);
      if (size > MAX_FILE_BYTES)
        return this.#skip(name, `it is larger than ${MAX_FILE_BYTES} bytes`);
      const version = `${ino} ${mtimeMs} ${size}`;
      const cached = this.#cache.get(name);
      if (cached?.version === version) return cached.content;
      const content = await readFile(path, 'utf8');
      this.#cache.set(name, { version, content });
      return content;
    } catch (error) {
      return this.#skip(name, error instanceof Error ? error.message : String(error));
    }
  }

  /** Warns once per reason, because files are loaded for each message. */
  #skip(name: string, reason: string): undefined {
    const warning = `${join(this.#folder, name)} is ignored: ${reason}.`;
    if (this.#warned.has(warning)) return;
    this.#warned.add(warning);
    this.#log.warn(warning);
  }
}

async function markdownNames(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => name.endsWith('.md')).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new BatonError('config_invalid', `Cannot read the configuration folder ${folder}.`, {
      cause: error,
    });
  }
}
