import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readFileInside } from '@baton/config/paths/read-inside';
import { withDiskErrors } from '../git/disk-errors.ts';
import { checkPath, copyAtomically, copyTree } from './copy-files.ts';
import type { Script } from './run-script.ts';

export type SetupCacheOptions = {
  /** Folder of the cache of one repository. */
  folder: string;
  /** Number of results that are kept; those used last. */
  keep?: number | undefined;
};

const KEEP = 3;
const MANIFEST = 'paths.json';
const STALE_MS = 24 * 3_600_000;

/** Results of setup scripts, such as `node_modules`, by the hash of the files that they depend on. */
export class SetupCache {
  #folder: string;
  #keep: number;

  constructor({ folder, keep = KEEP }: SetupCacheOptions) {
    this.#folder = folder;
    this.#keep = keep;
  }

  /** Hash of a script and of the files that its result depends on. */
  keyOf(
    workspace: string,
    { script, files }: { script: Script; files: readonly string[] },
  ): string {
    const hash = createHash('sha256').update(JSON.stringify(script));
    for (const file of [...files].sort()) {
      checkPath(workspace, file);
      const path = join(workspace, file);
      const content = existsSync(path) ? readFileInside(workspace, path) : undefined;
      hash.update(JSON.stringify([file, content?.length ?? null]));
      if (content) hash.update(content);
    }
    return hash.digest('hex').slice(0, 32);
  }

  /** Copies a result into a workspace; returns false if there is none, or the workspace already has one of its paths. */
  async restore(key: string, workspace: string, signal?: AbortSignal): Promise<boolean> {
    const entry = join(this.#folder, key);
    const paths = pathsOf(entry);
    if (!paths) return false;
    for (const path of paths) checkPath(workspace, path);
    const isFree = (path: string) => !lstatSync(join(workspace, path), { throwIfNoEntry: false });
    if (!paths.every(isFree)) return false;
    for (const [n, path] of paths.entries()) {
      await copyAtomically(join(entry, `${n}`), join(workspace, path), signal);
    }
    const now = new Date();
    utimesSync(entry, now, now);
    return true;
  }

  /** Keeps the result of a setup; paths that it did not make are left out. */
  save(
    key: string,
    workspace: string,
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    return withDiskErrors(() => this.#save(key, workspace, paths, signal));
  }

  async #save(
    key: string,
    workspace: string,
    paths: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (const path of paths) checkPath(workspace, path);
    const found = paths.filter((path) => existsSync(join(workspace, path)));
    if (found.length === 0 || existsSync(join(this.#folder, key))) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const draft = join(this.#folder, `.${randomUUID()}.tmp`);
    mkdirSync(draft, { mode: 0o700 });
    try {
      for (const [n, path] of found.entries()) {
        await copyTree(join(workspace, path), join(draft, `${n}`), signal);
      }
      writeFileSync(join(draft, MANIFEST), JSON.stringify(found));
      renameSync(draft, join(this.#folder, key));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another workspace with the same files was faster.
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    this.#prune();
  }

  #prune(): void {
    const entries = readdirSync(this.#folder).map((name) => {
      const path = join(this.#folder, name);
      return { path, name, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
    });
    const isDraft = ({ name }: { name: string }) => name.startsWith('.');
    const drafts = entries.filter((each) => isDraft(each) && each.time < Date.now() - STALE_MS);
    const old = entries
      .filter((each) => !isDraft(each))
      .sort((a, b) => b.time - a.time)
      .slice(this.#keep);
    for (const { path } of [...drafts, ...old]) rmSync(path, { recursive: true, force: true });
  }
}

function pathsOf(entry: string): string[] | undefined {
  try {
    return JSON.parse(readFileSync(join(entry, MANIFEST), 'utf8'));
  } catch {
    return undefined;
  }
}
