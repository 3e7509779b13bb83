import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastDays, marksOf, niceTop, totalOf, withEmptyDays } from './days.ts';

const NOW = Date.parse('2026-03-01T00:30:00Z');
const row = (key: string, tasks: number) => {
  return { ...totalOf([]), key, tasks, input_tokens: 10 * tasks, cost_usd: 0.5 * tasks };
};

test('the last days end today, over the end of a month', () => {
  expect(lastDays(3, NOW)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
});

test('days on which nothing was done have a row too', () => {
  const twice = [row('2026-02-28', 1), row('2026-02-28', 1)];
  const rows = withEmptyDays(twice, lastDays(3, NOW));
  expect(rows.map(({ key, tasks }) => [key, tasks])).toEqual([
    ['2026-02-27', 0],
    ['2026-02-28', 2],
    ['2026-03-01', 0],
  ]);
  expect(totalOf(rows)).toEqual({ ...row('', 2), key: null });
});

test('the top of a chart is round, and not far above its values', () => {
  expect([0, 0.013, 3, 5, 51, 1200].map(niceTop)).toEqual([1, 0.02, 5, 5, 100, 2000]);
  void fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e12 }), (most) => {
      expect(niceTop(most)).toBeGreaterThanOrEqual(most);
      expect(niceTop(most)).toBeLessThanOrEqual(2.5 * most);
    }),
  );
});

test('the edge of a chart has half of the top, unless that would be half of something', () => {
  expect(marksOf(2, true)).toEqual([2, 1, 0]);
  expect(marksOf(1, true)).toEqual([1, 0]);
  expect(marksOf(5, true)).toEqual([5, 0]);
  expect(marksOf(1, false)).toEqual([1, 0.5, 0]);
});
