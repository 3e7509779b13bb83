import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import { type IgnoreRules, isIgnored, readIgnoreRules } from './ignore-rules.ts';

/** Something in a folder, by its path from there. */
export type FoundFile = { path: string; kind: 'file' | 'folder' };

export type FileList = {
  files: FoundFile[];
  /** False when there was too much to look at all of it. */
  complete: boolean;
};

type WalkLimits = { entries: number; milliseconds: number };

const LIMITS: WalkLimits = { entries: 20_000, milliseconds: 2000 };
/** Folders that no prompt mentions, whether or not a .gitignore lists them. */
const NEVER_LISTED: readonly string[] = ['.git', 'node_modules'];
const MAX_DEPTH = 64;

/**
 * Lists a folder and the folders in it, the nearest first, without what a .gitignore excludes. Links are listed but not
 * followed. Git itself is not run: its configuration belongs to the agent and can name programs.
 */
export async function listFiles(root: string, limits: WalkLimits = LIMITS): Promise<FileList> {
  const until = performance.now() + limits.milliseconds;
  const files: FoundFile[] = [];
  const waiting: { folder: string; depth: number; above?: IgnoreRules | undefined }[] = [
    { folder: '', depth: 0 },
  ];
  let complete = true;
  for (const { folder, depth, above } of waiting) {
    const entries = await entriesOf(join(root, folder));
    const hasRules = entries.some(({ name }) => name === '.gitignore');
    const rules = hasRules ? await readIgnoreRules(root, folder, above) : above;
    for (const entry of entries) {
      if (performance.now() > until) return { files, complete: false };
      if (NEVER_LISTED.includes(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isIgnored(path, entry.isDirectory() ? 'folder' : 'file', rules)) continue;
      if (files.length >= limits.entries) return { files, complete: false };
      const kind = await kindOf(entry, root, path);
      if (kind === undefined) continue;
      files.push({ path, kind });
      if (!entry.isDirectory()) continue;
      if (depth < MAX_DEPTH) waiting.push({ folder: path, depth: depth + 1, above: rules });
      else complete = false;
    }
  }
  return { files, complete };
}

/** A folder that cannot be read is as good as empty. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Nothing for what is no file: a socket, or a link that leads out of the folder. */
async function kindOf(
  entry: Dirent,
  root: string,
  path: string,
): Promise<FoundFile['kind'] | undefined> {
  if (entry.isDirectory()) return 'folder';
  if (entry.isFile()) return 'file';
  if (!entry.isSymbolicLink()) return undefined;
  try {
    const real = await realpath(join(root, path));
    if (!isInside(root, real)) return undefined;
    const target = await stat(real);
    if (target.isDirectory()) return 'folder';
    return target.isFile() ? 'file' : undefined;
  } catch {
    return undefined;
  }
}
