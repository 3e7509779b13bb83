import { hostname } from 'node:os';
import { BatonError, type WorkspaceRecord } from '@baton/protocol';
import type { SessionRow, Store } from '@baton/store';

/** The workspace of a session, whatever machine has it. */
export function sessionWorkspace({
  workspace: json,
}: Pick<SessionRow, 'workspace'>): WorkspaceRecord {
  const workspace = json === null ? null : (JSON.parse(json) as WorkspaceRecord);
  if (workspace) return workspace;
  throw new BatonError('conflict', 'The session has no files yet: no task has started.', {
    hint: 'Changes are compared from the start of the first task on.',
  });
}

/** True if this machine has the files of a workspace. */
export function isHere({ host }: Pick<WorkspaceRecord, 'host'>): boolean {
  return host === hostname();
}

/** The workspace of a session, which must be on this machine. */
export function workspaceHere(session: Pick<SessionRow, 'workspace'>): WorkspaceRecord {
  const workspace = sessionWorkspace(session);
  if (isHere(workspace)) return workspace;
  return refuseElsewhere(workspace);
}

/** Rejects an operation on files of another machine. */
export function refuseElsewhere({ host, cwd }: WorkspaceRecord): never {
  throw new BatonError('conflict', `The files of the session are on ${host}.`, {
    hint: `On ${host}, run "baton diff" or "baton undo" with -C ${cwd}, as the user of its executor.`,
  });
}

/** The task of a session that has an executor now. */
export async function runningTask(store: Store, sessionId: string): Promise<string | undefined> {
  const [running] = await store.records.tasks.find({
    where: { session_id: sessionId, status: ['RUNNING', 'STOPPING', 'AWAITING_PERMISSION'] },
    limit: 1,
  });
  return running?.task_id;
}
