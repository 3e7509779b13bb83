import { existsSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findRepository, isRepository } from '../git/repository.ts';
import { keyOf, PrivateRepository } from '../snapshot/private-repository.ts';
import { UserRepository } from './user-repository.ts';
import type { StoredWorkspace, WorkspaceTools } from './workspace-files.ts';

/**
 * Finds a repository that was moved by a worktree which "git worktree repair" has told the new place. Baton's own
 * repository moves along, and so do the records of all worktrees. Returns undefined unless there is such a place.
 */
export async function followRepository(
  { git, files }: WorkspaceTools,
  { workspace_id: id, repository: before, path }: StoredWorkspace,
): Promise<StoredWorkspace | undefined> {
  if (!before || existsSync(before) || !existsSync(path)) return undefined;
  const found = findRepository(path);
  if (!isRepository(found) || found.kind !== 'linked' || found.root !== path) return undefined;
  const { commonDir } = found;
  const { mainRoot } = new UserRepository(git, found);
  const folder = join(files.stateFolder, 'repositories');
  const known = join(folder, keyOf(basename(commonDir) === '.git' ? join(before, '.git') : before));
  const own = join(folder, keyOf(commonDir));
  if (existsSync(known) && !existsSync(own)) renameSync(known, own);
  // Borrows the objects of the repository from its new place.
  await PrivateRepository.open(git, files.stateFolder, path);
  for (const record of files.list()) {
    if (record.repository === before) files.put({ ...record, repository: mainRoot });
  }
  return files.get(id);
}
