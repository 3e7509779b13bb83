import { statSync } from 'node:fs';
import { BatonError, type WorkspaceRecord } from '@baton/protocol/values';
import { findRepository, isRepository } from '../git/repository.ts';
import {
  loadWorkspaceSettings,
  type UserWorkspaceSettings,
} from '../project/workspace-settings.ts';
import { takeSnapshot } from '../snapshot/snapshot.ts';
import { newWorktree } from '../turn/new-worktree.ts';
import { beginningOf, checkpointsOf } from '../turn/session-changes.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import type { StoredWorkspace } from '../worktree/workspace-files.ts';

export type ForkQuery = {
  /** The workspace of the session that is copied. */
  workspace: WorkspaceRecord;
  sessionId: string;
  /** The turn whose files are meant; the present ones by default. */
  taskId?: string | undefined;
  /** True to fail if the files of the turn were not kept; otherwise the present ones are used. */
  needsTurn: boolean;
  /** The session that gets the new worktree. */
  newSessionId: string;
  name: string;
  createdBy?: string | undefined;
  user: UserWorkspaceSettings;
};

/** Makes a worktree with the files that another workspace of the repository had at the start of a turn, or has now. */
export async function forkWorktree(
  home: WorkspaceHome,
  query: ForkQuery,
): Promise<StoredWorkspace> {
  const { workspace, sessionId, taskId, needsTurn } = query;
  const { path, cwd, repository: main } = workspace;
  const repository = await home.open(path);
  if (!isRepository(findRepository(path))) {
    throw new BatonError('conflict', `No worktree can be made of ${path}.`, {
      hint: 'It has no Git repository: fork with the present files.',
    });
  }
  const turns = await checkpointsOf(repository, sessionId);
  const isKnown = turns.some((each) => each.taskId === taskId);
  const start =
    taskId !== undefined && (needsTurn || isKnown) ? beginningOf(turns, taskId) : undefined;
  const { tree } = start ?? (await takeSnapshot(repository));
  const isThere = statSync(cwd, { throwIfNoEntry: false })?.isDirectory();
  const { settings } = await loadWorkspaceSettings({ folder: main ?? path, user: query.user });
  const { record } = await newWorktree({
    home,
    settings,
    source: isThere ? cwd : path,
    name: query.name,
    from: {
      tree,
      head: start?.head,
      baseRef: workspace.base_ref,
      baseCommit: workspace.base_commit,
    },
    sessionId: query.newSessionId,
    createdBy: query.createdBy,
  });
  return record;
}
