import { z } from 'zod';
import { momentSchema } from '../records/session-record.ts';
import { listedTaskSchema, taskRecordSchema } from '../records/task-record.ts';
import { TASK_STATUSES } from '../session/task-status.ts';
import { flagSchema, pageSchema, pageShape } from './page.ts';
import type { ServiceWire } from './service.ts';
import { MAX_PROMPT } from './sessions.ts';

const statusSchema = z.enum(TASK_STATUSES);

const taskQuerySchema = z.strictObject({
  ...pageShape,
  session_id: z.string().optional(),
  status: statusSchema.or(z.array(statusSchema).min(1)).optional(),
  backend: z.string().max(100).optional(),
  /** The folder of the session. */
  cwd: z.string().max(4096).optional(),
  /** Only tasks of archived sessions, or only of others; both by default. */
  archived: flagSchema.optional(),
  /** Words of the prompt, case-insensitive. */
  search: z.string().max(500).optional(),
  sort: z.enum(['newest', 'oldest']).default('newest'),
  /** Has no effect: lists always have only the beginnings of prompts and outputs. Accepted for older clients. */
  brief: flagSchema.default(false),
});
export type TaskQuery = z.input<typeof taskQuerySchema>;

const promptPatchSchema = z.strictObject({ full_prompt: z.string().max(MAX_PROMPT) });
/** The end of a task, from an executor that does not report the events of its run. */
const taskEndSchema = z.strictObject({
  status: z.enum(['COMPLETED', 'FAILED', 'CANCELLED']),
  completed_at: momentSchema.optional(),
  output: z.string().optional(),
});
const taskPatchSchema = z.union([promptPatchSchema, taskEndSchema]);
export type TaskPatch = z.input<typeof taskPatchSchema>;

/** Some parts of the raw output of an agent. */
const rawOutputSchema = z.strictObject({
  parts: z.array(z.strictObject({ part: z.int(), text: z.string() })),
  more: z.boolean(),
});
export type RawOutput = z.output<typeof rawOutputSchema>;

export const tasksWire = {
  find: { query: taskQuerySchema, result: pageSchema(listedTaskSchema) },
  get: { result: taskRecordSchema },
  patch: { data: taskPatchSchema, result: taskRecordSchema },
  rawOutput: {
    data: z.strictObject({ task_id: z.string(), after: z.int().min(0).default(0) }),
    result: rawOutputSchema,
  },
  appendRaw: {
    data: z.strictObject({ offset: z.int().min(0), text: z.string().max(1024 * 1024) }),
    result: z.strictObject({ bytes: z.int() }),
  },
} as const satisfies ServiceWire;
