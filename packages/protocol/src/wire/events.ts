import { z } from 'zod';
import type { LogEvent } from '../session/session-event.ts';
import type { ServiceWire } from './service.ts';

const MAX_WAIT_MS = 30_000;

const typeSchema = z.string().max(100);

/** Fields of every event; the other fields depend on its type. */
const anyEventSchema = z.looseObject({
  cursor: z.int(),
  time: z.number(),
  type: z.string(),
}) as unknown as z.ZodType<LogEvent>;

export const eventsWire = {
  find: {
    query: z.strictObject({
      session_id: z.string(),
      after: z.coerce.number<number>().int().min(0).default(0),
      limit: z.coerce.number<number>().int().min(1).max(5000).default(1000),
      /** Milliseconds. */
      wait: z.coerce.number<number>().int().min(0).max(MAX_WAIT_MS).default(0),
      /** Event types to return; the cursor of the response skips others. */
      types: typeSchema.or(z.array(typeSchema).min(1).max(100)).optional(),
    }),
    result: z.looseObject({ events: z.array(anyEventSchema), cursor: z.int() }),
  },
} as const satisfies ServiceWire;
