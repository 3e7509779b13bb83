import { expect, test } from 'vitest';
import { limitsOf } from './number-limits.ts';

test('the minimum of a whole number is valid in the schema', () => {
  const turns = { type: 'integer', exclusiveMinimum: 0, maximum: 99 };
  expect(limitsOf(turns)).toEqual({ min: 1, max: 99, step: 1 });
  expect(limitsOf({ type: 'integer', minimum: 0 })).toEqual({ min: 0, step: 1 });
});

test('what need not be whole is more than a limit that does not count itself, in its unit', () => {
  expect(limitsOf({ type: 'number', exclusiveMinimum: 0 })).toEqual({ step: 'any', above: 0 });
  const pause = { type: 'integer', minimum: 500, maximum: 60_000, scale: 1000 };
  expect(limitsOf(pause)).toEqual({ min: 0.5, max: 60, step: 'any' });
});
