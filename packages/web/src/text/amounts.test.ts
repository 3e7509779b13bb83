import { expect, test } from 'vitest';
import { bytes } from './amounts.ts';

test('bytes are told in the unit that people would use, and a whole number is one', () => {
  expect(bytes(1023)).toBe('1023 B');
  expect(bytes(256 * 1024)).toBe('256 KB');
  expect(bytes(996.14 * 1024)).toBe('996.1 KB');
  expect(bytes(1024 ** 2)).toBe('1 MB');
});
