import { z } from 'zod';
import type { Closed } from './closed.ts';

/** The result of a stop. */
export const stopReportSchema = z.looseObject({
  /** `stopped`: verified that no process survives. `unverified`: that could not be verified, `reason` says why. */
  state: z.enum(['stopped', 'unverified']),
  reason: z.string().optional(),
  requestedAt: z.number(),
  /** Time at which the agent confirmed the stop. */
  acknowledgedAt: z.number().optional(),
  stoppedAt: z.number().optional(),
  /** Escalation steps that were taken, in order. */
  steps: z.array(z.looseObject({ step: z.string(), ms: z.number() })),
  /** Number of processes that had to be killed. */
  killed: z.int().nonnegative(),
});
export type StopReport = Closed<z.infer<typeof stopReportSchema>>;
