import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Usage, usageSchema } from './usage.ts';
import { addUsage } from './usage-sum.ts';

const tokens = fc.nat(1_000_000);
/** Cents in powers of two, so that sums are exact and can be compared. */
const cost = fc.nat(1000).map((parts) => parts / 64);
const usage: fc.Arbitrary<Usage> = fc.record(
  {
    inputTokens: tokens,
    cachedInputTokens: tokens,
    cacheWriteTokens: tokens,
    outputTokens: tokens,
    reasoningTokens: tokens,
    totalTokens: tokens,
    costUsd: cost,
    costEstimated: fc.boolean(),
    contextWindow: tokens,
    contextTokens: tokens,
  },
  { requiredKeys: [] },
);
const maybe = fc.option(usage, { nil: undefined });

test('adding is associative', () => {
  fc.assert(
    fc.property(maybe, maybe, maybe, (a, b, c) => {
      expect(addUsage(addUsage(a, b), c)).toEqual(addUsage(a, addUsage(b, c)));
    }),
  );
});

test('nothing adds nothing, on either side', () => {
  fc.assert(
    fc.property(maybe, (a) => {
      expect(addUsage(a, undefined)).toEqual(a);
      expect(addUsage(undefined, a)).toEqual(a);
      expect(addUsage({}, a) ?? {}).toEqual(a ?? {});
      expect(addUsage(a, {}) ?? {}).toEqual(a ?? {});
    }),
  );
});

test('a sum has all of both parts, but the context of the later one', () => {
  const {
    contextWindow: _window,
    contextTokens: _context,
    costEstimated: _estimated,
    ...summed
  } = usageSchema.shape;
  fc.assert(
    fc.property(usage, usage, (a, b) => {
      const sum = addUsage(a, b) ?? {};
      for (const key of Object.keys(summed) as (keyof typeof summed)[]) {
        expect([key, sum[key] ?? 0]).toEqual([key, (a[key] ?? 0) + (b[key] ?? 0)]);
      }
      expect(sum.contextWindow).toBe(b.contextWindow ?? a.contextWindow);
      expect(sum.contextTokens).toBe(b.contextTokens ?? a.contextTokens);
    }),
  );
});

test('a sum that contains an estimate is an estimate', () => {
  const [estimate, report] = [{ costUsd: 1, costEstimated: true }, { costUsd: 2 }];
  expect(addUsage(estimate, report)).toEqual({ costUsd: 3, costEstimated: true });
  expect(addUsage(report, estimate)).toEqual({ costUsd: 3, costEstimated: true });
  expect(addUsage(report, report)).toEqual({ costUsd: 4 });
});

test('unknown counts stay unknown instead of becoming zero', () => {
  expect(addUsage({ inputTokens: 1 }, { inputTokens: 2 })).toEqual({ inputTokens: 3 });
});

test('keeps the context of the later part, else of the earlier one', () => {
  const earlier = { contextWindow: 100, contextTokens: 10 };
  expect(addUsage(earlier, { contextTokens: 30 })).toEqual({
    contextWindow: 100,
    contextTokens: 30,
  });
  expect(addUsage(earlier, { contextWindow: undefined })).toEqual(earlier);
});

test('the parts are left as they are', () => {
  const a = Object.freeze({ inputTokens: 1 });
  const b = Object.freeze({ inputTokens: 2, contextTokens: 5 });
  expect(addUsage(a, b)).toEqual({ inputTokens: 3, contextTokens: 5 });
});
