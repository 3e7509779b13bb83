import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '@baton/runtime';
import { leftOutOf } from './left-out.ts';

/** Something in a folder, by its path from there. */
export type FoundFile = { path: string; kind: 'file' | 'folder' };

export type FileList = {
  files: FoundFile[];
  /** False when there was too much to look at all of it. */
  complete: boolean;
};

export type WalkLimits = { entries: number; milliseconds: number };

const LIMITS: WalkLimits = { entries: 20_000, milliseconds: 2000 };

/** Lists what is in a folder and the folders in it, what is near first; links are listed, but not followed. */
export async function listFiles(root: string, limits: WalkLimits = LIMITS): Promise<FileList> {
  const isLeftOut = await leftOutOf(root);
  const until = performance.now() + limits.milliseconds;
  const files: FoundFile[] = [];
  const waiting = [''];
  for (const folder of waiting) {
    for (const entry of await entriesOf(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isLeftOut(path, entry.name)) continue;
      if (files.length >= limits.entries || performance.now() > until) {
        return { files, complete: false };
      }
      const kind = await kindOf(entry, root, path);
      if (kind === undefined) continue;
      files.push({ path, kind });
      if (entry.isDirectory()) waiting.push(path);
    }
  }
  return { files, complete: true };
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
