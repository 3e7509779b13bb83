import { z } from 'zod';
import type { Closed } from './closed.ts';

const tokens = z.int().nonnegative();

/** What a run, or a part of it, consumed. Numbers count this run only, never the whole session. */
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
  /** Whether the cost, or a part of it, is not the agent's own number but computed by Baton from tokens and prices. */
  costEstimated: z.boolean().optional(),
  /** How many tokens fit into the context of the model. */
  contextWindow: tokens.optional(),
  /** How many of them the conversation fills now. */
  contextTokens: tokens.optional(),
});
export type Usage = Closed<z.infer<typeof usageSchema>>;
