import { expect, test } from 'vitest';
import { estimate, median, quantile, sum } from './statistics.ts';

test('the median lies in the middle, or between the two in the middle', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(quantile([0, 10], 0.95)).toBeCloseTo(9.5);
  expect(sum([1, 2, 3])).toBe(6);
});

test('the interval contains the value and is deterministic', () => {
  const samples = Array.from({ length: 50 }, (_, n) => 1 + (n % 7) / 100);
  const first = estimate(samples, median);
  expect(first.low).toBeLessThanOrEqual(first.value);
  expect(first.high).toBeGreaterThanOrEqual(first.value);
  expect(estimate(samples, median)).toEqual(first);
});

test('more samples make the interval narrower', () => {
  const samples = (count: number) => Array.from({ length: count }, (_, n) => (n * 37) % 100);
  const width = (count: number) => {
    const { low, high } = estimate(samples(count), median);
    return high - low;
  };
  expect(width(1000)).toBeLessThan(width(30));
});
