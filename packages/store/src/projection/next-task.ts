import {
  isFinal,
  isTaskEvent,
  type LogEvent,
  statusOfOutcome,
  type TaskStatus,
} from '@baton/protocol';
import type { TaskRow } from '../schema/tables.ts';
import { descriptionOf, storable } from './words-of-prompt.ts';

/** Returns the row of a task after an event of its session; a final state never changes. */
export function nextTask(
  sessionId: string,
  before: TaskRow | undefined,
  event: LogEvent,
): TaskRow | undefined {
  if (event.type === 'prompt.queued') return before ?? queued(sessionId, event);
  if (!before || isFinal(before.status as TaskStatus)) return before;
  const row = isTaskEvent(event) ? { ...before, run_id: event.runId, last_seq: event.seq } : before;
  switch (event.type) {
    case 'prompt.edited':
      return {
        ...row,
        full_prompt: storable(event.prompt),
        description: descriptionOf(event.prompt),
      };
    case 'task.started':
      return {
        ...row,
        status: 'RUNNING',
        started_at: row.started_at ?? event.time,
        executor_id: event.executorId,
      };
    case 'task.requeued':
      return {
        ...row,
        status: 'QUEUED',
        started_at: null,
        executor_id: null,
        failed_starts: event.failedStarts,
      };
    case 'task.paused':
      return { ...row, executor_id: null };
    case 'task.resumed':
      return {
        ...row,
        status: 'QUEUED',
        pending_requests: 0,
        resumed_with: JSON.stringify(event.requestIds),
      };
    case 'task.narrowed':
    case 'task.widened':
      return { ...row, permission_mode: event.permissionMode };
    case 'task.lost':
      return { ...row, reported_seq: row.last_seq };
    case 'run.identified':
      return {
        ...row,
        native_session_id: event.nativeSessionId,
        used_model: event.model ?? row.used_model,
      };
    case 'usage.updated':
      return { ...row, usage: JSON.stringify(event.usage) };
    case 'permission.requested':
    case 'question.requested':
      return waiting(row, row.pending_requests + 1);
    case 'permission.resolved':
    case 'question.resolved':
      return waiting(row, Math.max(0, row.pending_requests - 1));
    case 'stop.requested':
      return { ...row, status: 'STOPPING' };
    case 'run.completed':
      return {
        ...row,
        status: statusOfOutcome(event.outcome),
        completed_at: event.time,
        pending_requests: 0,
        outcome: event.outcome,
        output: storable(event.output),
        error: event.error ? JSON.stringify(event.error) : null,
        usage: event.usage ? JSON.stringify(event.usage) : row.usage,
      };
    default:
      return row;
  }
}

function queued(sessionId: string, event: Extract<LogEvent, { type: 'prompt.queued' }>): TaskRow {
  return {
    task_id: event.taskId,
    session_id: sessionId,
    position: event.cursor,
    status: 'QUEUED',
    created_by: event.by ?? null,
    full_prompt: storable(event.prompt),
    description: descriptionOf(event.prompt),
    backend: event.backend,
    model: event.model ?? null,
    used_model: null,
    permission_mode: event.permissionMode,
    options: JSON.stringify(event.options ?? {}),
    attachments: JSON.stringify(event.attachments ?? []),
    executor_id: null,
    run_id: null,
    last_seq: 0,
    reported_seq: null,
    pending_requests: 0,
    failed_starts: 0,
    native_session_id: null,
    resumed_with: null,
    created_at: event.time,
    started_at: null,
    completed_at: null,
    outcome: null,
    output: null,
    error: null,
    usage: null,
  };
}

function waiting(row: TaskRow, pending: number): TaskRow {
  const isStopping = row.status === 'STOPPING';
  const status = isStopping ? row.status : pending > 0 ? 'AWAITING_PERMISSION' : 'RUNNING';
  return { ...row, pending_requests: pending, status };
}
