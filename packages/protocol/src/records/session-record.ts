import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { permissionModeSchema } from '../permission.ts';
import { requestPolicySchema } from '../session/session-event.ts';
import { TASK_STATUSES } from '../session/task-status.ts';
import { changeSummarySchema } from '../workspace/change-summary.ts';
import { workspaceRecordSchema, workspaceRequestSchema } from '../workspace/workspace-record.ts';

/** A moment, as ISO 8601. */
export const momentSchema = z.iso.datetime();

/** The policy for unanswered requests of a session. */
export const requestPolicyRecordSchema = z.looseObject({
  after_ms: z.int().positive(),
  action: requestPolicySchema.shape.action,
});
export type RequestPolicyRecord = Closed<z.infer<typeof requestPolicyRecordSchema>>;

/** A session as the daemon's services show it. */
export const sessionRecordSchema = z.looseObject({
  session_id: z.string(),
  title: z.string(),
  cwd: z.string(),
  backend: z.string(),
  model: z.string().nullable(),
  permission_mode: permissionModeSchema,
  request_policy: requestPolicyRecordSchema.nullable(),
  native_session_id: z.string().nullable(),
  forked_from: z.looseObject({ session_id: z.string(), cursor: z.int() }).nullable(),
  archived: z.boolean(),
  /** True if queued tasks wait until the queue is resumed. */
  queue_paused: z.boolean(),
  created_by: z.string().nullable(),
  created_at: momentSchema,
  updated_at: momentSchema,
  /** The cursor of the last event. */
  head_cursor: z.int(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost_usd: z.number(),
  /** True if a part of the cost is an estimate, computed from tokens and prices. */
  cost_estimated: z.boolean(),
  /** The workspace that the first task is going to make; null once it is there, or if none was requested. */
  workspace_request: workspaceRequestSchema.nullable(),
  /** The folder that its agents work in, as its machine reported it; null before the first task. */
  workspace: workspaceRecordSchema.nullable(),
  /** The change of its files, as its machine reported it last. */
  changes: changeSummarySchema.nullable(),
});
export type SessionRecord = Closed<z.infer<typeof sessionRecordSchema>>;

/** A session in a list, with facts of its tasks. */
export const listedSessionSchema = sessionRecordSchema.extend({
  /** Tasks that have not ended. */
  open_tasks: z.int(),
  /** Pending requests of these tasks. */
  pending_requests: z.int(),
  /**
   * Status of the task that awaits an answer, or else runs, or else is queued; otherwise of the task that ended last.
   */
  last_task_status: z.enum(TASK_STATUSES).nullable(),
  /** Error code of that task; `interrupted` if its executor ended unexpectedly. */
  last_task_error: z.string().nullable(),
});
export type ListedSession = Closed<z.infer<typeof listedSessionSchema>>;
