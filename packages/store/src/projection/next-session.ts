import type { ErrorInfo, LogEvent, Usage } from '@baton/protocol';
import type { SessionRow, TaskRow } from '../schema/tables.ts';
import { titleOf } from './words-of-prompt.ts';

/** Returns the row of a session after events of its log; undefined before its first event. */
export function nextSession(
  sessionId: string,
  before: SessionRow | undefined,
  events: readonly LogEvent[],
  tasks: ReadonlyMap<string, TaskRow>,
): SessionRow | undefined {
  let row = before;
  for (const event of events) {
    if (event.type === 'session.created') row = created(sessionId, event);
    const changes = row && changesBy(row, event);
    if (row && changes) row = { ...row, ...changes };
    if (row && event.type === 'run.identified') {
      // Both or neither: an id without its agent would be given to the wrong one.
      const native_backend = backendOf(event.taskId, tasks, events);
      const native_session_id = event.nativeSessionId;
      if (native_backend) row = { ...row, native_session_id, native_backend };
    }
  }
  const last = events.at(-1);
  return row && last && { ...row, head_cursor: last.cursor, updated_at: last.time };
}

/** The agent of a task that is there already, or begins with these events. */
function backendOf(
  taskId: string,
  tasks: ReadonlyMap<string, TaskRow>,
  events: readonly LogEvent[],
): string | undefined {
  const known = tasks.get(taskId);
  if (known) return known.backend;
  for (const event of events) {
    if (event.type === 'prompt.queued' && event.taskId === taskId) return event.backend;
  }
  return undefined;
}

/** Returns the columns that an event changes; most events change only the head cursor. */
function changesBy(row: SessionRow, event: LogEvent): Partial<SessionRow> | undefined {
  switch (event.type) {
    case 'session.changed': {
      const { title, backend, model, permissionMode, requestPolicy, archived } = event.changes;
      return {
        title: title ?? row.title,
        backend: backend ?? row.backend,
        model: model === undefined ? row.model : model,
        permission_mode: permissionMode ?? row.permission_mode,
        request_policy:
          requestPolicy === undefined ? row.request_policy : jsonOrNull(requestPolicy),
        archived: archived === undefined ? row.archived : Number(archived),
      };
    }
    case 'prompt.queued':
      return row.title === '' ? { title: titleOf(event.prompt) } : undefined;
    case 'task.started':
      return { last_started_at: event.time };
    case 'task.requeued':
      return { last_started_at: event.lastStartedAt };
    case 'workspace.updated': {
      const { workspace } = event;
      // Agents resume their own sessions by the folder, which therefore is the one that they work in.
      const cwd = workspace.kind === 'worktree' ? workspace.cwd : row.cwd;
      return { workspace: JSON.stringify(workspace), workspace_request: null, cwd };
    }
    case 'changes.updated':
      return { changes: JSON.stringify(event.changes) };
    case 'queue.paused':
      return { queue_paused: 1 };
    case 'queue.resumed':
      return { queue_paused: 0 };
    case 'run.completed':
      return { ...totals(row, event.usage), ...forgotten(event.error) };
    default:
      return undefined;
  }
}

function created(
  sessionId: string,
  event: Extract<LogEvent, { type: 'session.created' }>,
): SessionRow {
  return {
    session_id: sessionId,
    created_by: event.by ?? null,
    title: event.title,
    cwd: event.cwd,
    backend: event.backend,
    model: null,
    permission_mode: event.permissionMode,
    request_policy: null,
    native_session_id: null,
    native_backend: null,
    forked_from: event.forkedFrom ? JSON.stringify(event.forkedFrom) : null,
    archived: 0,
    queue_paused: 0,
    created_at: event.time,
    updated_at: event.time,
    last_started_at: 0,
    head_cursor: event.cursor,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
    cost_estimated: 0,
    workspace_request: event.workspace ? JSON.stringify(event.workspace) : null,
    workspace: event.sharedWorkspace ? JSON.stringify(event.sharedWorkspace) : null,
    changes: null,
  };
}

/** A session that the agent has lost cannot be continued. */
function forgotten(error: ErrorInfo | undefined): Partial<SessionRow> {
  return error?.code === 'session_not_found'
    ? { native_session_id: null, native_backend: null }
    : {};
}

function totals(row: SessionRow, usage: Usage = {}): Partial<SessionRow> {
  return {
    input_tokens: row.input_tokens + (usage.inputTokens ?? 0),
    output_tokens: row.output_tokens + (usage.outputTokens ?? 0),
    cost_usd: row.cost_usd + (usage.costUsd ?? 0),
    cost_estimated: usage.costEstimated ? 1 : row.cost_estimated,
  };
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
