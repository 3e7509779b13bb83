import type { ListedSession, ListedTask, SessionRecord, TaskRecord } from '@baton/protocol';
import type {
  ListedSession as ListedSessionRow,
  ListedTask as ListedTaskRow,
  SessionRow,
  TaskRow,
} from '@baton/store';
import { progressWords } from './progress-words.ts';

/** Shows the row of a session as services do. */
export function sessionRecord(row: SessionRow): SessionRecord {
  const { request_policy, forked_from, archived, queue_paused, ...others } = row;
  const { created_at, updated_at, ...same } = others;
  const { native_backend: _native, last_started_at: _started, ...shown } = same;
  return {
    ...shown,
    permission_mode: shown.permission_mode as SessionRecord['permission_mode'],
    request_policy: parsed(request_policy),
    forked_from: parsed(forked_from),
    archived: archived === 1,
    queue_paused: queue_paused === 1,
    created_at: moment(created_at),
    updated_at: moment(updated_at),
  };
}

/** Shows the row of a task as services do. */
export function taskRecord(row: TaskRow): TaskRecord {
  const { options, attachments, error, usage, created_at, started_at, completed_at, ...same } = row;
  const {
    run_id: _run,
    last_seq: _seq,
    failed_starts: _starts,
    used_model: _model,
    ...shown
  } = same;
  return {
    ...shown,
    status: shown.status as TaskRecord['status'],
    permission_mode: shown.permission_mode as TaskRecord['permission_mode'],
    outcome: shown.outcome as TaskRecord['outcome'],
    options: JSON.parse(options),
    attachments: JSON.parse(attachments),
    error: parsed(error),
    usage: parsed(usage),
    created_at: moment(created_at),
    started_at: momentOrNull(started_at),
    completed_at: momentOrNull(completed_at),
  };
}

/** Shows a session of a list as services do. */
export function listedSession(listed: ListedSessionRow): ListedSession {
  const { open_tasks, pending_requests, last_task_status, ...row } = listed;
  return {
    ...sessionRecord(row),
    open_tasks,
    pending_requests,
    last_task_status: last_task_status as ListedSession['last_task_status'],
  };
}

/** Shows a task of a list as services do. */
export function listedTask(listed: ListedTaskRow): ListedTask {
  const { session_title, cwd, archived, queue_paused, ...others } = listed;
  const { waits_behind, last_entry, ...row } = others;
  const task = taskRecord(row);
  return {
    ...task,
    session_title,
    cwd,
    archived: archived === 1,
    queue_paused: queue_paused === 1,
    cost_usd: task.usage?.costUsd ?? null,
    waits_behind,
    progress: (last_entry && progressWords(last_entry, cwd)) || null,
  };
}

/** A time as people and other programs read it. */
export function moment(time: number): string {
  return new Date(time).toISOString();
}

function momentOrNull(time: number | null): string | null {
  return time === null ? null : moment(time);
}

function parsed<Value>(json: string | null): Value | null {
  return json === null ? null : (JSON.parse(json) as Value);
}
