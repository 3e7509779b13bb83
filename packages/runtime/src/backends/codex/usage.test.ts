import { describe, expect, test } from 'vitest';
import { TurnUsage } from './turn-usage.ts';
import { minus, readPrices, readTokens, usageOf } from './usage.ts';

const PRICES = { inputPerMillion: 2, cachedInputPerMillion: 0.5, outputPerMillion: 10 };

test('tokens are read in the words of exec and of the app server', () => {
  const tokens = { input: 100, cached: 11, cacheWrite: 2, output: 44, reasoning: 5 };
  expect(
    readTokens({
      input_tokens: 100,
      cached_input_tokens: 11,
      cache_write_input_tokens: 2,
      output_tokens: 44,
      reasoning_output_tokens: 5,
    }),
  ).toEqual(tokens);
  expect(
    readTokens({
      inputTokens: 100,
      cachedInputTokens: 11,
      cacheWriteInputTokens: 2,
      outputTokens: 44,
      reasoningOutputTokens: 5,
    }),
  ).toEqual(tokens);
});

test('a difference is never negative', () => {
  const more = readTokens({ input_tokens: 5, output_tokens: 1 });
  const less = readTokens({ input_tokens: 3, output_tokens: 2 });
  expect(minus(more, less)).toMatchObject({ input: 2, output: 0 });
});

describe('prices', () => {
  test('make a cost, cached tokens cheaper', () => {
    const tokens = readTokens({
      input_tokens: 1_000_000,
      cached_input_tokens: 400_000,
      output_tokens: 100_000,
    });
    expect(usageOf(tokens, PRICES).costUsd).toBeCloseTo(0.6 * 2 + 0.4 * 0.5 + 0.1 * 10);
    expect(usageOf(tokens).costUsd).toBeUndefined();
  });

  test('without a price for cached tokens those cost as much as others', () => {
    expect(readPrices({ inputPerMillion: 2, outputPerMillion: 10 })).toEqual({
      ...PRICES,
      cachedInputPerMillion: 2,
    });
    expect(readPrices(undefined)).toBeUndefined();
  });

  test.each([
    null,
    'cheap',
    {},
    { inputPerMillion: 1 },
    { inputPerMillion: -1, outputPerMillion: 1 },
  ])('%j are none', (value) => {
    expect(() => readPrices(value)).toThrow(/is not a price/);
  });
});

describe('the usage of a turn', () => {
  const count = (threadId: string, turnId: string, total: number, last: number) => ({
    threadId,
    turnId,
    tokenUsage: {
      total: { inputTokens: total },
      last: { inputTokens: last, totalTokens: last },
      modelContextWindow: 1000,
    },
  });

  test('is what its requests consumed, not what the thread had before', () => {
    const usage = new TurnUsage();
    usage.begin('turn');
    usage.take(count('main', 'turn', 500, 100), true);
    usage.take(count('main', 'turn', 700, 200), true);
    expect(usage.usage).toMatchObject({
      inputTokens: 300,
      contextTokens: 200,
      contextWindow: 1000,
    });
  });

  test('includes sub-agents, over all of their turns', () => {
    const usage = new TurnUsage();
    for (const turn of ['turn', 'child 1', 'child 2']) usage.begin(turn);
    usage.take(count('main', 'turn', 100, 100), true);
    usage.take(count('child', 'child 1', 10, 10), false);
    usage.take(count('child', 'child 2', 30, 20), false);
    expect(usage.usage).toMatchObject({ inputTokens: 130, contextTokens: 100 });
  });

  test('ignores the last count of an earlier turn, which a resumed thread repeats', () => {
    const usage = new TurnUsage();
    expect(usage.take(count('main', 'old', 500, 100), true)).toBe(false);
    expect(usage.usage).toBeUndefined();
    usage.begin('turn');
    usage.end('turn');
    expect(usage.take(count('fork', 'turn', 500, 100), false)).toBe(false);
  });
});
