import { expect, test } from 'vitest';
import { parsed } from './parsed.ts';

test('invalid JSON returns nothing', () => {
  expect(parsed('{"a":1}')).toEqual({ a: 1 });
  expect([parsed(''), parsed('{broken')]).toEqual([undefined, undefined]);
});
