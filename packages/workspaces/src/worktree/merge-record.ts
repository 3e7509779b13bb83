import { HEADS, type UserRepository } from './user-repository.ts';
import type { StoredWorkspace, WorkspaceMerge, WorkspaceTools } from './workspace-files.ts';

/** Records that the branch of a workspace was merged. */
export function recordMerge({ files }: WorkspaceTools, id: string, merged: WorkspaceMerge): void {
  files.change(id, { merged, merging: undefined, owner: undefined });
}

/** Finds out if a merge took place whose program was killed; nothing is merged again. */
export async function settleMerge(
  tools: WorkspaceTools,
  { workspace_id: id, merging }: StoredWorkspace,
  repository: UserRepository,
): Promise<boolean> {
  if (!merging) return false;
  const isDone = await repository.hasCommit(`${HEADS}${merging.target}`, merging.commit);
  if (isDone) recordMerge(tools, id, merging);
  else tools.files.change(id, { merging: undefined, owner: undefined });
  return isDone;
}
