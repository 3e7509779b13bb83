import { z } from 'zod';
import type { ServiceWire } from './service.ts';

const MAX_WAIT_MS = 30_000;

/** Which sessions have changed. */
const newsSchema = z.strictObject({
  /** Where to continue with the next call. */
  after: z.string(),
  session_ids: z.array(z.string()),
  /** The daemon does not know what was missed: load everything again. */
  everything: z.boolean(),
  /** A user changed, such as their role: load one's own user again. */
  people: z.boolean(),
});
export type News = z.output<typeof newsSchema>;

export const newsWire = {
  find: {
    query: z.strictObject({
      after: z.string().max(100).optional(),
      /** Milliseconds. */
      wait: z.coerce.number<number>().int().min(0).max(MAX_WAIT_MS).default(0),
    }),
    result: newsSchema,
  },
} as const satisfies ServiceWire;
