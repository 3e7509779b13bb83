import { expect, test } from 'vitest';
import { bytes, cost } from './amounts.ts';

test('bytes are shown in the usual unit, and whole numbers without decimals', () => {
  expect(bytes(1023)).toBe('1023 B');
  expect(bytes(256 * 1024)).toBe('256 KB');
  expect(bytes(996.14 * 1024)).toBe('996.1 KB');
  expect(bytes(1024 ** 2)).toBe('1 MB');
});

test('an estimated cost has a mark', () => {
  expect([0, 0.001, 0.123].map((dollars) => cost(dollars))).toEqual(['$0', '<$0.01', '$0.12']);
  const estimated = [0, 0.001, 0.123].map((dollars) => cost(dollars, { isEstimated: true }));
  expect(estimated).toEqual(['$0', '<$0.01 est.', '~$0.12']);
});
