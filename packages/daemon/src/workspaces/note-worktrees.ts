import type { WorkspaceRecord } from '@baton/protocol';
import type { Store } from '@baton/store';
import { publicRecord, type StoredWorkspace } from '@baton/workspaces';
import { isHere } from './session-files.ts';

/** Adds to the logs of sessions that their worktrees were removed or restored, or got a pull request, if they do not say so yet. */
export async function noteWorktrees(
  store: Store,
  records: readonly StoredWorkspace[],
): Promise<void> {
  const byId = new Map(records.map((record) => [record.workspace_id, record]));
  for (const { session_id: id, workspace: json } of await store.worktreeSessions()) {
    const known = JSON.parse(json ?? 'null') as WorkspaceRecord | null;
    const record = known && isHere(known) ? byId.get(known.workspace_id) : undefined;
    if (!known || !record || isSame(known, record)) continue;
    await note(store, id, { ...publicRecord(record), cwd: known.cwd });
  }
}

/** The event belongs to the last task that the session has begun; a session without one has not used its worktree. */
async function note(store: Store, sessionId: string, workspace: WorkspaceRecord): Promise<void> {
  const tasks = await store.records.tasks.find({
    where: { session_id: sessionId },
    orderBy: ['position', 'desc'],
    limit: 50,
  });
  const task = tasks.find(({ started_at }) => started_at !== null);
  // The executor of a task that has not ended numbers its events, and reports the worktree itself.
  if (!task || task.completed_at === null) return;
  const { task_id: taskId, run_id, last_seq } = task;
  const common = { time: store.now(), runId: run_id ?? taskId, taskId, synthetic: true };
  await store.log.append(sessionId, () => ({
    drafts: [{ ...common, type: 'workspace.updated', seq: last_seq + 1, workspace }],
    result: undefined,
  }));
}

type Noted = Pick<WorkspaceRecord, 'state' | 'pull_request'>;

function isSame(known: Noted, now: Noted): boolean {
  return isRemoved(known) === isRemoved(now) && known.pull_request?.url === now.pull_request?.url;
}

function isRemoved({ state }: Pick<WorkspaceRecord, 'state'>): boolean {
  return state === 'removed';
}
