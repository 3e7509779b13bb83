import { z } from 'zod';
import type { Closed } from './closed.ts';
import { errorInfoSchema } from './error-info.ts';
import { OUTCOMES } from './outcome.ts';
import { stopReportSchema } from './stop.ts';
import { usageSchema } from './usage.ts';

export const outcomeSchema = z.enum(OUTCOMES);

/** The result of a run: its outcome, answer and usage. */
export const runResultSchema = z.looseObject({
  outcome: outcomeSchema,
  /** The final answer of the agent, or its text so far if it was stopped. */
  output: z.string(),
  /** The answer as a value, if an output schema was given. */
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
