import type { Store } from '@baton/store';
import { settleUses, type WorkspaceHome, type WorkspaceOperations } from '@baton/workspaces';
import type { Logger } from 'pino';
import { noteWorktrees } from './note-worktrees.ts';

const CHECKPOINT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

type TidyTools = {
  store: Store;
  workspaces: WorkspaceHome;
  operations(request: { repositories: readonly string[] }): Promise<WorkspaceOperations>;
};

/** Finishes what killed processes left of worktrees, and deletes expired checkpoints and removed worktrees. */
export async function tidyWorkspaces(
  { store, workspaces, operations }: TidyTools,
  log: Logger,
): Promise<void> {
  // A helper in a sandbox does not see which processes are gone.
  settleUses(workspaces.files);
  const repositories = workspaces.files.list().flatMap(({ repository }) => repository ?? []);
  const { tidy, records } = await operations({ repositories: [...new Set(repositories)] });
  const done = await tidy({ before: Date.now() - CHECKPOINT_DAYS * DAY_MS });
  for (const each of done) log.info(each, 'workspace');
  // Commands remove and restore worktrees too.
  await noteWorktrees(store, await records());
}
