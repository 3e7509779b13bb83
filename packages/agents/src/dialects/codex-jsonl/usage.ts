import { count, object } from '@baton/config/values/json';
import type { Usage } from '@baton/protocol/values';

/** A count of tokens as Codex gives it. */
export type Tokens = {
  input: number;
  cached: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
};

/** Reads a count in the format of `exec` and rollouts or in that of the app server. */
export function readTokens(value: unknown): Tokens {
  const json = object(value);
  const read = (...names: string[]) =>
    names.map((name) => count(json[name])).find((tokens) => tokens !== undefined) ?? 0;
  return {
    input: read('input_tokens', 'inputTokens'),
    cached: read('cached_input_tokens', 'cachedInputTokens'),
    cacheWrite: read('cache_write_input_tokens', 'cacheWriteInputTokens'),
    output: read('output_tokens', 'outputTokens'),
    reasoning: read('reasoning_output_tokens', 'reasoningOutputTokens'),
  };
}

/** Takes an earlier count away from a later one. */
export function minus(later: Tokens, earlier: Tokens): Tokens {
  return combine(later, earlier, (a, b) => Math.max(a - b, 0));
}

/** Adds two counts. */
export function plus(one: Tokens, other: Tokens): Tokens {
  return combine(one, other, (a, b) => a + b);
}

/** A count in Baton's format. */
export function usageOf(tokens: Tokens): Usage {
  const { input, cached, cacheWrite, output, reasoning } = tokens;
  return {
    inputTokens: input,
    cachedInputTokens: cached,
    cacheWriteTokens: cacheWrite,
    outputTokens: output,
    reasoningTokens: reasoning,
    totalTokens: input + output,
  };
}

function combine(a: Tokens, b: Tokens, sum: (a: number, b: number) => number): Tokens {
  return {
    input: sum(a.input, b.input),
    cached: sum(a.cached, b.cached),
    cacheWrite: sum(a.cacheWrite, b.cacheWrite),
    output: sum(a.output, b.output),
    reasoning: sum(a.reasoning, b.reasoning),
  };
}
