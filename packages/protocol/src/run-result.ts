import { z } from 'zod';
import type { Closed } from './closed.ts';
import { errorInfoSchema } from './error-info.ts';
import { OUTCOMES } from './outcome.ts';
import { stopReportSchema } from './stop.ts';
import { usageSchema } from './usage.ts';

/** How a run ended. */
export const outcomeSchema = z.enum(OUTCOMES);

/** How a run ended and what it gave. */
export const runResultSchema = z.looseObject({
  outcome: outcomeSchema,
  /** The final answer of the agent, or what it had said when it was stopped. */
  output: z.string(),
  /** The answer as a value, when an output schema was given. */
  structured: z.unknown().optional(),
  usage: usageSchema.optional(),
  nativeSessionId: z.string().optional(),
  exitCode: z.int().optional(),
  signal: z.string().optional(),
  /** Set whenever the outcome is not `done`. */
  error: errorInfoSchema.optional(),
  durationMs: z.number(),
  /** Set when the run was stopped. */
  stop: stopReportSchema.optional(),
});
export type RunResult<Structured = unknown> = Closed<z.infer<typeof runResultSchema>> & {
  structured?: Structured | undefined;
};
