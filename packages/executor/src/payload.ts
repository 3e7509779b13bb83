import { BatonError } from '@baton/protocol';
import { z } from 'zod';

/** What an executor is told by whoever starts it; on standard input, where nobody else can read it. */
export const payloadSchema = z.strictObject({
  daemonUrl: z.url(),
  token: z.string().min(1),
  /** The task to take; the token of the pool says which. */
  taskId: z.string().optional(),
  /** Where the spool is kept. */
  spoolFolder: z.string(),
});
export type ExecutorPayload = z.output<typeof payloadSchema>;

/** Reads a payload. */
export function parsePayload(text: string): ExecutorPayload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BatonError('usage', 'The payload of the executor is not JSON.');
  }
  const parsed = payloadSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BatonError('usage', `The payload of the executor: ${issue?.path}: ${issue?.message}`);
}
