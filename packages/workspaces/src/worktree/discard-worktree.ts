import { chmodSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import { findRepository, isRepository } from '../git/repository.ts';
import { keyOf } from '../snapshot/private-repository.ts';
import { linkedWorktrees, type UserRepository } from './user-repository.ts';
import type { StoredWorkspace } from './workspace-files.ts';

/**
 * Deletes the folder of a worktree and what its repository knows about it, also if only some of that exists. Links are
 * deleted, not followed. Returns false if the folder is something else and was left alone.
 */
export function deleteWorktree(
  { path, group }: Pick<StoredWorkspace, 'path' | 'group'>,
  repository: UserRepository | undefined,
): boolean {
  const commonDir = repository?.place.commonDir;
  const known = commonDir ? linkedWorktrees(commonDir).filter((each) => each.path === path) : [];
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (isThere && known.length === 0 && !isBroken(path, commonDir)) return false;
  if (isThere) deleteTree(path);
  for (const { gitDir } of known) rmSync(gitDir, { recursive: true, force: true });
  if (commonDir && known.length > 0) removeEmpty(join(commonDir, 'worktrees'));
  for (
    let at = dirname(path);
    removeEmpty(at) && group && isInside(group, at, { orEqual: true });
  ) {
    at = dirname(at);
  }
  return true;
}

/** Deletes the folder of Baton's own repository for a worktree; checkpoints are not in it. */
export function deletePrivateFolder(
  stateFolder: string,
  { path }: Pick<StoredWorkspace, 'path'>,
  { place }: UserRepository,
): void {
  const common = join(stateFolder, 'repositories', keyOf(place.commonDir));
  rmSync(join(common, 'worktrees', keyOf(path)), { recursive: true, force: true });
}

/** Deletes a folder with everything in it, also folders that the agent made unreadable. */
function deleteTree(path: string): void {
  const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const;
  try {
    rmSync(path, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    openFolders(path);
    rmSync(path, options);
  }
}

function openFolders(folder: string): void {
  if (!lstatSync(folder).isDirectory()) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) openFolders(join(folder, entry.name));
  }
}

/** True for a folder that was a worktree of the repository and is no longer known to it, or whose repository is gone. */
function isBroken(path: string, commonDir: string | undefined): boolean {
  if (!lstatSync(path).isDirectory()) return false;
  const target = gitFile(path);
  if (target === undefined) return readdirSync(path).length === 0;
  const found = findRepository(path);
  if (isRepository(found)) return false;
  return commonDir === undefined || isInside(join(commonDir, 'worktrees'), target);
}

function gitFile(path: string): string | undefined {
  try {
    return /^gitdir: (.+)/.exec(readFileSync(join(path, '.git'), 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** Removes a folder unless something is in it. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
