import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { permissionModeSchema } from '../permission.ts';
import {
  listedSessionSchema,
  requestPolicyRecordSchema,
  sessionRecordSchema,
} from '../records/session-record.ts';
import { taskRecordSchema } from '../records/task-record.ts';
import { workspaceRequestSchema } from '../workspace/workspace-record.ts';
import { flagSchema, pageSchema, pageShape } from './page.ts';
import type { ServiceWire } from './service.ts';

/** The length limit of prompts, in characters. */
export const MAX_PROMPT = 10_000_000;

const sessionQuerySchema = z.strictObject({
  ...pageShape,
  /** Returns archived sessions instead of the others. */
  archived: flagSchema.default(false),
  backend: z.string().max(100).optional(),
  cwd: z.string().max(4096).optional(),
  /** The id of the user who created them. */
  created_by: z.string().max(100).optional(),
  /** Words of the title or the folder, case-insensitive. */
  search: z.string().max(500).optional(),
});
export type SessionQuery = z.input<typeof sessionQuerySchema>;

const newSessionSchema = z.strictObject({
  cwd: z
    .string()
    .min(1)
    .max(4096)
    .regex(/^[^\0]*$/, 'must not contain NUL'),
  backend: z.string().min(1).max(100),
  permission_mode: permissionModeSchema.default('ask'),
  title: z.string().max(500).default(''),
  /** Chosen by the caller. It makes the call idempotent: a retry with the same id returns the same session. */
  session_id: z.uuid().optional(),
  /** The workspace for its agents; they work in the folder itself by default. */
  workspace: workspaceRequestSchema.optional(),
});
export type NewSession = z.input<typeof newSessionSchema>;

const modelSchema = z.string().max(200).regex(/\S/, 'must not be empty');

const sessionPatchSchema = z.strictObject({
  title: z.string().max(500).optional(),
  backend: z.string().min(1).max(100).optional(),
  model: modelSchema.nullable().optional(),
  permission_mode: permissionModeSchema.optional(),
  request_policy: requestPolicyRecordSchema.nullable().optional(),
  archived: z.boolean().optional(),
});
export type SessionPatch = Closed<z.input<typeof sessionPatchSchema>>;

const ofSession = { session_id: z.string() };

const newTaskSchema = z.strictObject({
  ...ofSession,
  prompt: z.string().max(MAX_PROMPT),
  permission_mode: permissionModeSchema.optional(),
  backend: z.string().max(100).optional(),
  model: modelSchema.optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  attachments: z.array(z.string()).max(50).optional(),
  /** Chosen by the caller. It makes the call idempotent: a retry with the same id returns the same task. */
  task_id: z.uuid().optional(),
});
export type NewTask = Omit<z.input<typeof newTaskSchema>, 'session_id'>;

const steerSchema = z.strictObject({
  ...ofSession,
  task_id: z.string(),
  text: z.string().max(MAX_PROMPT),
  /** Chosen by the caller. It makes the call idempotent. */
  steer_id: z.uuid().optional(),
});
export type NewSteer = Omit<z.input<typeof steerSchema>, 'session_id'>;

const widenSchema = z.strictObject({
  ...ofSession,
  task_id: z.string(),
  permission_mode: permissionModeSchema,
});
export type TaskWidening = Omit<z.input<typeof widenSchema>, 'session_id'>;

/**
 * The files that a fork or a retry starts with. `present`: those of the session, in the same folder. `restored`: the same
 * folder, with what the turn and later ones changed taken back; a checkpoint is made first, and the call is refused with
 * `conflict` while an agent works there. `worktree`: a new worktree with the files at the start of the turn; without a
 * turn, with the present ones.
 */
const startFilesSchema = z.enum(['present', 'restored', 'worktree']);
export type StartFiles = z.output<typeof startFilesSchema>;

const retrySchema = z.strictObject({
  ...ofSession,
  task_id: z.string(),
  prompt: z.string().max(MAX_PROMPT).optional(),
  backend: z.string().max(100).optional(),
  /** `present` by default. */
  files: startFilesSchema.optional(),
});
export type TaskRetry = Omit<z.input<typeof retrySchema>, 'session_id'>;

const forkSchema = z.strictObject({
  ...ofSession,
  before_task: z.string().optional(),
  /** By default `worktree` for a session in a worktree of this machine, and `present` for all others. */
  files: startFilesSchema.optional(),
});
export type SessionFork = Omit<z.input<typeof forkSchema>, 'session_id'>;

const stopSchema = z.strictObject({
  ...ofSession,
  task_id: z.string(),
  reason: z.string().max(1000).optional(),
});
export type TaskStop = Omit<z.input<typeof stopSchema>, 'session_id'>;

/** The result of a stop: a queued task is cancelled, a running task is stopping, or the task had already ended. */
const stopReceiptSchema = z.looseObject({
  receipt: z.enum(['cancelled', 'stopping', 'ended']),
  task: taskRecordSchema,
});
export type StopReceipt = Closed<z.output<typeof stopReceiptSchema>>;

/** The ids of the tasks that were cancelled, and the session afterwards. */
const clearedQueueSchema = z.strictObject({
  cleared: z.array(z.string()),
  session: sessionRecordSchema,
});
export type ClearedQueue = Closed<z.output<typeof clearedQueueSchema>>;

export const sessionsWire = {
  find: { query: sessionQuerySchema, result: pageSchema(listedSessionSchema) },
  get: { result: sessionRecordSchema },
  create: { data: newSessionSchema, result: sessionRecordSchema },
  patch: { data: sessionPatchSchema, result: sessionRecordSchema },
  fork: { data: forkSchema, result: sessionRecordSchema },
  retryTask: { data: retrySchema, result: taskRecordSchema },
  executeTask: { data: newTaskSchema, result: taskRecordSchema },
  steerTask: { data: steerSchema, result: taskRecordSchema },
  widenTask: { data: widenSchema, result: taskRecordSchema },
  resumeQueue: { data: z.strictObject(ofSession), result: sessionRecordSchema },
  clearQueue: { data: z.strictObject(ofSession), result: clearedQueueSchema },
  stopTask: { data: stopSchema, result: stopReceiptSchema },
} as const satisfies ServiceWire;
