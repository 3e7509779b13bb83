import { expect, test } from 'vitest';
import { counted, finding } from './benchmark.ts';

const facts = { what: 'time', unit: '×', samples: 20 } as const;

test.each([
  ['at most', { value: 1, low: 0.9, high: 1.1 }, 'PASS'],
  ['at most', { value: 1.9, low: 1.8, high: 2.1 }, 'NOT RESOLVED'],
  ['at most', { value: 3, low: 2.1, high: 4 }, 'FAIL'],
  ['at least', { value: 3, low: 2.1, high: 4 }, 'PASS'],
  ['at least', { value: 2, low: 1.9, high: 2.1 }, 'NOT RESOLVED'],
  ['at least', { value: 1, low: 0.9, high: 1.1 }, 'FAIL'],
] as const)('%s 2 with %o is %s', (bound, estimate, verdict) => {
  expect(finding({ ...facts, limit: 2, bound }, estimate).verdict).toBe(verdict);
});

test('a counted number is judged without an interval, and the limit itself is good', () => {
  expect(finding({ ...facts, limit: 2, bound: 'at most' }, counted(2)).verdict).toBe('PASS');
  expect(finding({ ...facts, limit: 2, bound: 'at least' }, counted(2)).verdict).toBe('PASS');
});
