import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol/values';

const MAX_MS = 2000;

/**
 * Rejects a folder without Git that has too many files to keep, such as a home folder or the root of the disk: Git would
 * read all of it before it could say so.
 */
export function checkPlainFolder(
  root: string,
  { maxFiles, excluded }: { maxFiles: number; excluded: ReadonlySet<string> },
): void {
  const deadline = performance.now() + MAX_MS;
  const folders = [root];
  let files = 0;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = entriesOf(at);
    // Nested repositories are not part of snapshots.
    if (at !== root && entries.some(({ name }) => name === '.git')) continue;
    for (const entry of entries) {
      if (excluded.has(entry.name)) continue;
      if (entry.isDirectory()) folders.push(join(at, entry.name));
      else files += 1;
    }
    if (files <= maxFiles && performance.now() <= deadline) continue;
    throw new BatonError('too_large', `${root} has too many files, and is no Git repository.`, {
      hint: 'Work in a project folder, or make it a Git repository with a .gitignore.',
    });
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
