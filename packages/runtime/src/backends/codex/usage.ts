import { BatonError, type Usage } from '@baton/protocol';
import { isObject, number, object } from '../../normalize/json.ts';

/** A count of tokens as Codex gives it. */
export type Tokens = {
  input: number;
  cached: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
};

/** What tokens cost, in US dollars for a million. */
export type Prices = {
  inputPerMillion: number;
  cachedInputPerMillion: number;
  outputPerMillion: number;
};

/** Reads a count in the words of `exec` and rollouts or in those of the app server. */
export function readTokens(value: unknown): Tokens {
  const json = object(value);
  const read = (...names: string[]) =>
    names.map((name) => number(json[name])).find((count) => count !== undefined) ?? 0;
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

/** A count in the words of Baton, with the cost when the prices are known. */
export function usageOf(tokens: Tokens, prices?: Prices): Usage {
  const { input, cached, cacheWrite, output, reasoning } = tokens;
  return {
    inputTokens: input,
    cachedInputTokens: cached,
    cacheWriteTokens: cacheWrite,
    outputTokens: output,
    reasoningTokens: reasoning,
    totalTokens: input + output,
    costUsd: prices && costOf(tokens, prices),
  };
}

/** Reads the prices that a caller gave; throws when they are no prices. */
export function readPrices(value: unknown): Prices | undefined {
  if (value === undefined) return undefined;
  const prices = object(value);
  const price = (name: keyof Prices, fallback?: number): number => {
    const given = number(prices[name]) ?? fallback;
    if (isObject(value) && given !== undefined && given >= 0) return given;
    throw new BatonError('usage', `providerOptions.prices.${name} is not a price.`, {
      hint: 'Give inputPerMillion, cachedInputPerMillion and outputPerMillion in US dollars.',
    });
  };
  const inputPerMillion = price('inputPerMillion');
  return {
    inputPerMillion,
    cachedInputPerMillion: price('cachedInputPerMillion', inputPerMillion),
    outputPerMillion: price('outputPerMillion'),
  };
}

function costOf({ input, cached, output }: Tokens, prices: Prices): number {
  const fresh = Math.max(input - cached, 0);
  const millionths =
    fresh * prices.inputPerMillion +
    cached * prices.cachedInputPerMillion +
    output * prices.outputPerMillion;
  return millionths / 1_000_000;
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
