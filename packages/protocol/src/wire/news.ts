import { z } from 'zod';
import type { ServiceWire } from './service.ts';

const MAX_WAIT_MS = 30_000;

/** Notification of changed sessions. */
const newsSchema = z.strictObject({
  /** Position for the next call. */
  after: z.string(),
  session_ids: z.array(z.string()),
  /** True if the daemon does not know which changes were missed: reload everything. */
  everything: z.boolean(),
  /** True if a user changed, for example their role: reload the current user. */
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
