import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Usage } from './usage.ts';
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

test('a sum is never smaller than its parts', () => {
  fc.assert(
    fc.property(usage, usage, (a, b) => {
      const sum = addUsage(a, b);
      expect(sum?.totalTokens ?? 0).toBe((a.totalTokens ?? 0) + (b.totalTokens ?? 0));
      expect(sum?.costUsd ?? 0).toBe((a.costUsd ?? 0) + (b.costUsd ?? 0));
    }),
  );
});

test('what nobody counted stays unknown instead of becoming zero', () => {
  expect(addUsage({ inputTokens: 1 }, { inputTokens: 2 })).toEqual({ inputTokens: 3 });
});

test('the context of the later part is kept, and the earlier one when the later says nothing', () => {
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
