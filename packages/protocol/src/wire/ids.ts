import { z } from 'zod';
import type { ServiceWire } from './service.ts';

/** A session, a task or a request with an id that begins with the prefix. */
const foundIdSchema = z.strictObject({
  kind: z.enum(['session', 'task', 'request']),
  id: z.string(),
  session_id: z.string(),
  task_id: z.string().nullable(),
  about: z.string(),
});
export type FoundId = z.output<typeof foundIdSchema>;

export const idsWire = {
  find: {
    query: z.strictObject({
      prefix: z.string().min(1).max(500),
      limit: z.coerce.number<number>().int().min(1).max(100).default(20),
    }),
    result: z.array(foundIdSchema),
  },
} as const satisfies ServiceWire;
