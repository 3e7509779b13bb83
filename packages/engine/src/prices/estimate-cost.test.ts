import { describe, expect, test } from 'vitest';
import { DEFAULT_PRICES, PRICES_DATE } from './default-prices.ts';
import { defaultPrices, readPrices, withEstimatedCost } from './estimate-cost.ts';

const MILLION = 1_000_000;
const PRICES = {
  inputPerMillion: 2,
  cachedInputPerMillion: 0.5,
  cacheWritePerMillion: 3,
  outputPerMillion: 10,
};
const nothing = { given: undefined, model: undefined };

describe('the estimated cost', () => {
  const usage = {
    inputTokens: MILLION,
    cachedInputTokens: 400_000,
    cacheWriteTokens: 100_000,
    outputTokens: 100_000,
    reasoningTokens: 60_000,
  };

  test('prices fresh, cached and written input apart, and reasoning as output', () => {
    const { costUsd, costEstimated } = withEstimatedCost(usage, { ...nothing, given: PRICES });
    expect(costUsd).toBeCloseTo(0.5 * 2 + 0.4 * 0.5 + 0.1 * 3 + 0.1 * 10);
    expect(costEstimated).toBe(true);
  });

  test('prices cached and written input like other input by default', () => {
    const given = { inputPerMillion: 2, outputPerMillion: 10 };
    expect(withEstimatedCost(usage, { ...nothing, given }).costUsd).toBeCloseTo(2 + 1);
  });

  test('uses the default prices of the model unless the caller gave others', () => {
    const model = 'gpt-5.5';
    const one = { inputTokens: MILLION };
    expect(withEstimatedCost(one, { ...nothing, model }).costUsd).toBe(5);
    expect(withEstimatedCost(one, { given: PRICES, model }).costUsd).toBe(2);
  });

  test('never replaces a cost that the agent reports, not even zero', () => {
    const reported = { inputTokens: MILLION, costUsd: 0 };
    expect(withEstimatedCost(reported, { ...nothing, given: PRICES })).toBe(reported);
  });

  test('is unknown for an unknown model, and without tokens', () => {
    expect(withEstimatedCost(usage, { ...nothing, model: 'fake-model' })).toBe(usage);
    expect(withEstimatedCost(usage, nothing)).toBe(usage);
    const context = { contextTokens: 5 };
    expect(withEstimatedCost(context, { ...nothing, given: PRICES })).toBe(context);
  });

  test('adds up several models, and is unknown if the price of one is', () => {
    const both = { inputTokens: 2 * MILLION };
    const byModel = {
      'gemini-2.5-flash': { inputTokens: MILLION },
      'gemini-2.5-pro': { inputTokens: MILLION },
    };
    const known = withEstimatedCost(both, { ...nothing, byModel });
    expect(known.costUsd).toBeCloseTo(0.3 + 1.25);
    const unknown = { ...byModel, 'gemini-x': { inputTokens: 1 } };
    expect(withEstimatedCost(both, { ...nothing, model: 'gemini-2.5-pro', byModel: unknown })).toBe(
      both,
    );
  });
});

describe('default prices', () => {
  test('have a date, and are plausible', () => {
    expect(PRICES_DATE).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    for (const [model, row] of Object.values(DEFAULT_PRICES).flatMap(Object.entries)) {
      const [input, output, cachedInput = input, cacheWrite = input] = row;
      expect([model, input > 0 && output >= input]).toEqual([model, true]);
      expect([model, cachedInput <= input && cacheWrite >= input]).toEqual([model, true]);
    }
  });

  test.each([
    ['gpt-5.5', 5],
    ['openai/gpt-5.5', 5],
    ['claude-opus-4-5-20251101', 5],
    ['gpt-5-2025-08-07', 1.25],
    ['gemini-2.5-flash', 0.3],
  ])('know %s', (model, inputPerMillion) => {
    expect(defaultPrices(model)).toMatchObject({ inputPerMillion });
  });

  test.each([
    undefined,
    '',
    'auto',
    'constructor',
    'openai/constructor',
    'gpt-5.5-unheard-of',
    'claude-opus-4-5[1m]',
    'custom:gpt-5.5',
    'google/gpt-5.5',
    'openrouter/openai/gpt-5.5',
  ])('do not guess those of %s', (model) => {
    expect(defaultPrices(model)).toBeUndefined();
  });
});

describe('prices of the caller', () => {
  test('may lack those of caches', () => {
    const given = { inputPerMillion: 2, outputPerMillion: 10 };
    expect(readPrices(given)).toEqual(given);
    expect(readPrices(PRICES)).toEqual(PRICES);
    expect(readPrices(undefined)).toBeUndefined();
  });

  test.each([
    null,
    'cheap',
    {},
    { inputPerMillion: 1 },
    { inputPerMillion: -1, outputPerMillion: 1 },
    { inputPerMillion: 1, outputPerMillion: 1, cacheWritePerMillion: '1' },
  ])('%j are none', (value) => {
    expect(() => readPrices(value)).toThrow(/must be a number of US dollars/);
  });
});
