import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { errorInfoSchema } from '../error-info.ts';
import { permissionModeSchema } from '../permission.ts';
import { outcomeSchema } from '../run-result.ts';
import { TASK_STATUSES } from '../session/task-status.ts';
import { usageSchema } from '../usage.ts';
import { changeSummarySchema } from '../workspace/change-summary.ts';
import { momentSchema } from './session-record.ts';

/** A task as the daemon's services show it. */
export const taskRecordSchema = z.looseObject({
  task_id: z.string(),
  session_id: z.string(),
  /** The cursor of its prompt: tasks of a session run in this order. */
  position: z.int(),
  status: z.enum(TASK_STATUSES),
  created_by: z.string().nullable(),
  created_at: momentSchema,
  started_at: momentSchema.nullable(),
  completed_at: momentSchema.nullable(),
  /** The first 120 characters of the prompt. */
  description: z.string(),
  full_prompt: z.string(),
  backend: z.string(),
  model: z.string().nullable(),
  permission_mode: permissionModeSchema,
  options: z.record(z.string(), z.unknown()),
  attachments: z.array(z.string()),
  executor_id: z.string().nullable(),
  native_session_id: z.string().nullable(),
  /** Requests that wait for an answer. */
  pending_requests: z.int(),
  outcome: outcomeSchema.nullable(),
  output: z.string().nullable(),
  error: errorInfoSchema.nullable(),
  usage: usageSchema.nullable(),
});
export type TaskRecord = Closed<z.infer<typeof taskRecordSchema>>;

/** A task in a list, with facts of its session. */
export const listedTaskSchema = taskRecordSchema.extend({
  session_title: z.string(),
  /** The folder of the session. */
  cwd: z.string(),
  /** The machine that has the files of the session; null until its first task has started. */
  host: z.string().nullable(),
  /** Root of the repository of the session, or of its folder without Git; null until its first task has started. */
  repository: z.string().nullable(),
  /** The branch of the session's own worktree; null if it has none. */
  branch: z.string().nullable(),
  /** Size of the change in the session's files; `paths` is empty unless the task is running. */
  changes: changeSummarySchema.nullable(),
  /** True if the session is archived. */
  archived: z.boolean(),
  /** True if the queue of the session is paused. */
  queue_paused: z.boolean(),
  /** Cost that the agent reported or Baton estimated. */
  cost_usd: z.number().nullable(),
  /** True if the cost is an estimate, computed from tokens and prices. */
  cost_estimated: z.boolean(),
  /** Number of tasks ahead of it in its session while it is queued. */
  waits_behind: z.int(),
  /** Last activity of a running agent, in a short line. */
  progress: z.string().nullable(),
});
export type ListedTask = Closed<z.infer<typeof listedTaskSchema>>;
