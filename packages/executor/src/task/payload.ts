import { BatonError, mcpServerSchema, permissionModeSchema } from '@baton/protocol';
import { z } from 'zod';

/** The input of an executor. The program that starts it writes it to stdin, where no other process can read it. */
const payloadSchema = z.strictObject({
  daemonUrl: z.url(),
  token: z.string().min(1),
  /** The task to take. A token of the pool names its task; with any other token, omit this to take the next task. */
  taskId: z.string().optional(),
  /** Folder of the spool. */
  spoolFolder: z.string(),
  /** MCP servers that every task gets, by name. */
  mcpServers: z.record(z.string(), mcpServerSchema).optional(),
  /** Values that the starting program expects of the task; a task that differs is rejected. */
  sessionId: z.string().optional(),
  prompt: z.string().optional(),
  tool: z.string().optional(),
  /** A stricter mode than the one that the task has. */
  permissionMode: permissionModeSchema.optional(),
});
export type ExecutorPayload = z.output<typeof payloadSchema>;

/** Reads a payload. */
export function parsePayload(text: string): ExecutorPayload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BatonError('usage', 'The executor payload is not valid JSON.');
  }
  return checkPayload(value);
}

/** Refuses a payload that makes no sense. */
export function checkPayload(value: unknown): ExecutorPayload {
  const parsed = payloadSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BatonError('usage', `Invalid executor payload: ${issue?.path}: ${issue?.message}`);
}
