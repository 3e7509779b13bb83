import { z } from 'zod';
import type { Closed } from './closed.ts';

const tokens = z.int().nonnegative();

/** Usage of a run or a part of it. Numbers count this run only, never the whole session. */
export const usageSchema = z.looseObject({
  /** Tokens sent to the model, cached ones included. */
  inputTokens: tokens.optional(),
  /** The part of the input that was read from a cache. */
  cachedInputTokens: tokens.optional(),
  /** The part of the input that was written to a cache. */
  cacheWriteTokens: tokens.optional(),
  /** Tokens the model wrote, reasoning included. */
  outputTokens: tokens.optional(),
  /** The part of the output that was reasoning. */
  reasoningTokens: tokens.optional(),
  /** Input and output together. */
  totalTokens: tokens.optional(),
  costUsd: z.number().nonnegative().optional(),
  /** True if Baton computed the cost, or a part of it, from tokens and prices instead of the agent reporting it. */
  costEstimated: z.boolean().optional(),
  /** Size of the model's context window in tokens. */
  contextWindow: tokens.optional(),
  /** Tokens of the context window in use. */
  contextTokens: tokens.optional(),
});
export type Usage = Closed<z.infer<typeof usageSchema>>;
