import { permissionModeSchema, requestPolicySchema } from '@baton/protocol';
import { z } from 'zod';
import { flagSchema, pageShape } from '../../service/query.ts';

/** So long may a prompt be. */
export const MAX_PROMPT = 10_000_000;

/** Which sessions to list. */
export const sessionQuerySchema = z.strictObject({
  ...pageShape,
  archived: flagSchema.default(false),
  backend: z.string().max(100).optional(),
  cwd: z.string().max(4096).optional(),
  /** The id of the user who began them. */
  created_by: z.string().max(100).optional(),
  search: z.string().max(500).optional(),
});

/** What a session is made of. */
export const newSessionSchema = z.strictObject({
  cwd: z
    .string()
    .min(1)
    .max(4096)
    .regex(/^[^\0]*$/, 'must not contain NUL'),
  backend: z.string().min(1).max(100),
  permission_mode: permissionModeSchema.default('ask'),
  title: z.string().max(500).default(''),
});

/** What can be changed in a session. */
export const changesSchema = z.strictObject({
  title: z.string().max(500).optional(),
  backend: z.string().min(1).max(100).optional(),
  model: z.string().max(200).nullable().optional(),
  permission_mode: permissionModeSchema.optional(),
  request_policy: requestPolicySchema.nullable().optional(),
  archived: z.boolean().optional(),
});

/** A prompt for a session. */
export const promptSchema = z.strictObject({
  session_id: z.string(),
  prompt: z.string().max(MAX_PROMPT),
  permissionMode: permissionModeSchema.optional(),
  backend: z.string().max(100).optional(),
  model: z.string().max(200).optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  attachments: z.array(z.string()).max(50).optional(),
  /** Of the caller's making: given once more with the same one, because an answer got lost, it is the same task. */
  task_id: z.uuid().optional(),
});

/** What the agent of a task shall consider while it works. */
export const steerSchema = z.strictObject({
  session_id: z.string(),
  taskId: z.string(),
  text: z.string().max(MAX_PROMPT),
  /** Of the caller's making: given once more with the same one, because an answer got lost, it is told once. */
  steer_id: z.uuid().optional(),
});
