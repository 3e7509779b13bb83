import { isDeepStrictEqual } from 'node:util';
import { actionOf } from '@baton/engine/normalize/actions';
import {
  type Action,
  type ChangeSummary,
  type Entry,
  type ErrorInfo,
  isFinal,
  type ListedSession,
  type ListedTask,
  type MessageRecord,
  messageOf,
  type PermissionContent,
  type RequestPolicy,
  type SessionEventOf,
  type SessionRecord,
  type TaskRecord,
  type WorkspaceRecord,
} from '@baton/protocol';
import type { Role, UserRecord } from '@baton/protocol/wire';
import type {
  ListedSession as ListedSessionRow,
  ListedTask as ListedTaskRow,
  SessionRow,
  TaskRow,
  UserRow,
} from '@baton/store';
import { progressWords } from './progress-words.ts';

/** Shows the row of a session as services do. */
export function sessionRecord(row: SessionRow): SessionRecord {
  const { request_policy, forked_from, archived, queue_paused, ...others } = row;
  const { created_at, updated_at, cost_estimated, ...same } = others;
  const { native_backend: _native, last_started_at: _started, ...most } = same;
  const { workspace_request, workspace, changes, ...shown } = most;
  return {
    ...shown,
    workspace_request: parsed(workspace_request),
    workspace: parsed(workspace),
    changes: parsed(changes),
    permission_mode: shown.permission_mode as SessionRecord['permission_mode'],
    request_policy: policyRecord(parsed(request_policy)),
    forked_from: originRecord(parsed(forked_from)),
    archived: archived === 1,
    queue_paused: queue_paused === 1,
    cost_estimated: cost_estimated === 1,
    created_at: moment(created_at),
    updated_at: moment(updated_at),
  };
}

function policyRecord(policy: RequestPolicy | null): SessionRecord['request_policy'] {
  return policy && { after_ms: policy.afterMs, action: policy.action };
}

type Origin = NonNullable<SessionEventOf<'session.created'>['forkedFrom']>;

function originRecord(origin: Origin | null): SessionRecord['forked_from'] {
  return origin && { session_id: origin.sessionId, cursor: origin.cursor };
}

/** Shows the row of a task as services do. */
export function taskRecord(row: TaskRow): TaskRecord {
  const { options, attachments, error, usage, created_at, started_at, completed_at, ...same } = row;
  const {
    run_id: _run,
    last_seq: _seq,
    failed_starts: _starts,
    used_model: _model,
    resumed_with: _answered,
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
  const { open_tasks, pending_requests, last_task_status, last_task_error, ...row } = listed;
  return {
    ...sessionRecord(row),
    open_tasks,
    pending_requests,
    last_task_status: last_task_status as ListedSession['last_task_status'],
    last_task_error: parsed<ErrorInfo>(last_task_error)?.code ?? null,
  };
}

/** Shows a task of a list as services do. */
export function listedTask(listed: ListedTaskRow): ListedTask {
  const { session_title, cwd, archived, queue_paused, ...others } = listed;
  const { waits_behind, last_entry, workspace: place, changes, ...row } = others;
  const task = taskRecord(row);
  const workspace = parsed<WorkspaceRecord>(place);
  return {
    ...task,
    session_title,
    cwd,
    host: workspace?.host ?? null,
    repository: workspace && (workspace.repository ?? workspace.path),
    branch: workspace?.kind === 'worktree' ? workspace.branch : null,
    changes: listedChanges(task, parsed(changes)),
    archived: archived === 1,
    queue_paused: queue_paused === 1,
    cost_usd: task.usage?.costUsd ?? null,
    cost_estimated: task.usage?.costEstimated ?? false,
    waits_behind,
    progress: (last_entry && progressWords(last_entry, cwd)) || null,
  };
}

/** Omits the paths, which may be many, where nobody compares them. */
function listedChanges({ status }: TaskRecord, changes: ChangeSummary | null) {
  const isRunning = !isFinal(status) && status !== 'QUEUED';
  return changes && (isRunning ? changes : { ...changes, paths: [] });
}

/** Shows a user as services do: never with the password, not even its hash. */
export function userRecord(row: UserRow): UserRecord {
  return {
    user_id: row.user_id,
    name: row.name,
    role: row.role as Role,
    has_password: row.password_hash !== null,
    disabled: row.disabled === 1,
    created_at: moment(row.created_at),
  };
}

/** Shows an entry of a transcript as services do: an edited permission request as what was allowed. */
export function messageRecord(sessionId: string, entry: Entry): MessageRecord {
  const message = messageOf(sessionId, entry);
  const edit = entry.kind === 'permission' ? editIn(entry) : undefined;
  if (!edit) return message;
  const content = message.content as PermissionContent & { action: Action };
  const { tool_params, action } = content;
  return {
    ...message,
    content: {
      ...content,
      tool_params: edit.input,
      action: edit.action,
      edited: true,
      requested: { tool_params, action },
    },
  };
}

type PermissionEntry = Extract<Entry, { kind: 'permission' }>;

/** The input that was allowed in place of the requested one; from the answer until the agent has taken it. */
function editIn({ request, answer, edited, open }: PermissionEntry): PermissionEntry['edited'] {
  if (!open) return edited;
  const input = answer && 'input' in answer ? answer.input : undefined;
  if (input === undefined || isDeepStrictEqual(input, request.input)) return undefined;
  return { input, action: actionOf(request.tool, input) };
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
