import { z } from 'zod';
import type { Closed } from './closed.ts';

/** What a stop achieved. */
export const stopReportSchema = z.looseObject({
  /** `stopped`: nothing survives, and that was verified. `unverified`: it could not be verified, `reason` says why. */
  state: z.enum(['stopped', 'unverified']),
  reason: z.string().optional(),
  requestedAt: z.number(),
  /** When the agent showed that it had heard. */
  acknowledgedAt: z.number().optional(),
  stoppedAt: z.number().optional(),
  /** The steps of the ladder that were taken, in order. */
  steps: z.array(z.looseObject({ step: z.string(), ms: z.number() })),
  /** How many processes had to be killed. */
  killed: z.int().nonnegative(),
});
export type StopReport = Closed<z.infer<typeof stopReportSchema>>;
