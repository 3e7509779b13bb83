import { randomUUID } from 'node:crypto';
import { BatonError, type SessionEventOf, type WorkspaceRecord } from '@baton/protocol';
import {
  noSession,
  type SessionDraft,
  type SessionRow,
  type Store,
  type TaskRow,
  titleOf,
} from '@baton/store';

export type Fork = {
  sessionId: string;
  by?: string | undefined;
  /** The copy ends before the prompt of this task; by default it contains everything. */
  before?: string | undefined;
  /**
   * True if another prompt replaces that one. The copy is then named after the new prompt if the session was named
   * after the old one.
   */
  isRetry?: boolean;
  /** A new id by default. */
  newId?: string | undefined;
  /** The workspace of the copy; that of the session by default. */
  workspace?: WorkspaceRecord | undefined;
};

/** Forks a session, which stays unchanged. */
export async function forkSession(
  store: Store,
  { sessionId, by, before, isRetry = false, newId = randomUUID(), workspace }: Fork,
): Promise<SessionRow> {
  const { sessions, tasks } = store.records;
  const session = await sessions.get(sessionId);
  if (!session) throw noSession(sessionId);
  const task = before === undefined ? undefined : await tasks.get(before);
  if (before !== undefined && task?.session_id !== sessionId) {
    throw new BatonError('not_found', `Task "${before}" not found in this session.`);
  }
  const cursor = task ? task.position - 1 : session.head_cursor;
  const created: SessionDraft = {
    type: 'session.created',
    by,
    cwd: workspace?.cwd ?? session.cwd,
    backend: session.backend,
    permissionMode: session.permission_mode as 'ask',
    title: isRetry ? titleFor(session, task) : session.title,
    forkedFrom: { sessionId, cursor },
    ...(workspace ? { sharedWorkspace: workspace } : sameWorkspace(session)),
  };
  return store.log.create(newId, [created, ...sameSettings(session, by)]);
}

/** Returns an empty title if the session was named after the omitted prompt, so that the new prompt names it. */
function titleFor({ title }: SessionRow, before: TaskRow | undefined): string {
  return before && title === titleOf(before.full_prompt) ? '' : title;
}

/** A copy works in the same files; before the first task, it wants a workspace of the same kind. */
function sameWorkspace({
  workspace,
  workspace_request,
}: SessionRow): Pick<SessionEventOf<'session.created'>, 'sharedWorkspace' | 'workspace'> {
  return {
    ...(workspace === null ? {} : { sharedWorkspace: JSON.parse(workspace) }),
    ...(workspace_request === null ? {} : { workspace: JSON.parse(workspace_request) }),
  };
}

function sameSettings(session: SessionRow, by: string | undefined): SessionDraft[] {
  const { model, request_policy } = session;
  if (model === null && request_policy === null) return [];
  const requestPolicy = request_policy === null ? null : JSON.parse(request_policy);
  return [{ type: 'session.changed', by, changes: { model, requestPolicy } }];
}
