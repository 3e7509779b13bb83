import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inOneLine, withoutLastBreaks } from './one-line.ts';

/** Long enough that a quadratic algorithm exceeds the timeout of a test. */
const LONG = 300_000;

test.each([
  ['a\n b', 'a b'],
  ['a \t\r\n b', 'a b'],
  [' a  b ', 'a  b'],
  ['a\u00A0b', 'a b'],
  ['\u202Ea\u2066b', 'ab'],
  ['', ''],
])('%j is %j in one line', (text, line) => {
  expect(inOneLine(text)).toBe(line);
});

test.each([
  ['a\n\n', 'a'],
  ['a\n\nb\n', 'a\n\nb'],
  ['a ', 'a '],
  ['\n', ''],
  ['', ''],
])('%j without its last breaks is %j', (text, without) => {
  expect(withoutLastBreaks(text)).toBe(without);
});

test('whatever a text has, it becomes one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(inOneLine(text)).toMatch(/^[^\n\r\t\u2028\u2029]*$/u);
    }),
  );
});

test.each([
  [' ', '', 'b'],
  ['\n', ' ', 'b'],
  ['\t ', ' ', 'b'],
])('handles many occurrences of %j in a text', (space, between, end) => {
  const text = `a${space.repeat(LONG)}${end}`;
  expect(inOneLine(text)).toBe(space === ' ' ? text : `a${between}b`);
  expect(withoutLastBreaks(text)).toBe(text);
});
