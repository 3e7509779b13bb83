import { isObject, number, object } from '@baton/config/values/json';
import { BatonError, type Usage } from '@baton/protocol/values';
import type { ProviderOption } from '../definition/backend.ts';
import { DEFAULT_PRICES } from './default-prices.ts';

/** Prices of tokens, in US dollars per million. */
export type Prices = {
  inputPerMillion: number;
  /** Of input that was read from a cache; the same as `inputPerMillion` by default. */
  cachedInputPerMillion?: number | undefined;
  /** Of input that was written to a cache; the same as `inputPerMillion` by default. */
  cacheWritePerMillion?: number | undefined;
  outputPerMillion: number;
};

const NAMES = [
  'inputPerMillion',
  'cachedInputPerMillion',
  'cacheWritePerMillion',
  'outputPerMillion',
] as const satisfies (keyof Prices)[];
const REQUIRED: ReadonlySet<string> = new Set(['inputPerMillion', 'outputPerMillion']);

/** The provider option that every agent has. */
export const PRICES_OPTION: ProviderOption = {
  schema: {},
  // Wrong prices are reported where they are read.
  fits: (value) => readPrices(value) !== undefined,
  what: 'prices',
};

/** Reads the prices that a caller gave; throws when they are no prices. */
export function readPrices(value: unknown): Prices | undefined {
  if (value === undefined) return undefined;
  const given = object(value);
  const prices = NAMES.flatMap((name) => {
    const price = number(given[name]);
    if (isObject(value) && price !== undefined && price >= 0) return [[name, price] as const];
    if (isObject(value) && given[name] === undefined && !REQUIRED.has(name)) return [];
    throw new BatonError(
      'usage',
      `providerOptions.prices.${name} must be a number of US dollars.`,
      {
        hint: 'Set inputPerMillion, cachedInputPerMillion, cacheWritePerMillion and outputPerMillion.',
      },
    );
  });
  return Object.fromEntries(prices) as unknown as Prices;
}

/**
 * The default prices of a model; undefined for one that is not listed, or that another company than its provider sells.
 */
export function defaultPrices(model: string | undefined): Prices | undefined {
  if (model === undefined) return undefined;
  const [provider, name] = /^([^/]+)\/([^/]+)$/.exec(model)?.slice(1) ?? [undefined, model];
  const lists = Object.entries(DEFAULT_PRICES).filter(([each]) => (provider ?? each) === each);
  // A release of a model is named after its day.
  const names = [name, name?.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')];
  for (const [, rows] of lists) {
    const found = names.find((each) => each !== undefined && Object.hasOwn(rows, each));
    const row = found === undefined ? undefined : rows[found];
    if (!row) continue;
    const [inputPerMillion, outputPerMillion, cachedInputPerMillion, cacheWritePerMillion] = row;
    return { inputPerMillion, outputPerMillion, cachedInputPerMillion, cacheWritePerMillion };
  }
  return undefined;
}

type PricedModels = {
  /** The prices that the caller gave, which hold for every model. */
  given: Prices | undefined;
  model: string | undefined;
  /** Usage by model, if several were used. */
  byModel?: Readonly<Record<string, Usage>> | undefined;
};

/**
 * Adds an estimated cost to the usage of an agent that reports tokens but no cost. Without a price for every model that
 * was used the cost stays unknown.
 */
export function withEstimatedCost(usage: Usage, { given, model, byModel }: PricedModels): Usage {
  if (usage.costUsd !== undefined || !hasTokens(usage)) return usage;
  const models = given ? [] : Object.entries(byModel ?? {});
  const parts: [string | undefined, Usage][] = models.length > 0 ? models : [[model, usage]];
  let costUsd = 0;
  for (const [name, part] of parts) {
    const prices = given ?? defaultPrices(name);
    if (!prices) return usage;
    costUsd += costOf(part, prices);
  }
  return { ...usage, costUsd, costEstimated: true };
}

function hasTokens({ inputTokens, outputTokens }: Usage): boolean {
  return inputTokens !== undefined || outputTokens !== undefined;
}

/** Cached and written input are parts of the input, and reasoning is a part of the output. */
function costOf(usage: Usage, prices: Prices): number {
  const { inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = usage;
  const { inputPerMillion, outputPerMillion } = prices;
  const { cachedInputPerMillion = inputPerMillion, cacheWritePerMillion = inputPerMillion } =
    prices;
  const fresh = Math.max(inputTokens - cachedInputTokens - cacheWriteTokens, 0);
  const millionths =
    fresh * inputPerMillion +
    cachedInputTokens * cachedInputPerMillion +
    cacheWriteTokens * cacheWritePerMillion +
    outputTokens * outputPerMillion;
  return millionths / 1_000_000;
}
