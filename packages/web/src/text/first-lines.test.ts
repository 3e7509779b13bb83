import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstLines } from './first-lines.ts';

test('a text that is not too long stays as it is', () => {
  fc.assert(fc.property(fc.string(), (text) => firstLines(text, text.length) === text));
});

test('truncates to the beginning, and splits no character', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '\n', '漢', '🎼'), minLength: 2 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 50 }), (text, most) => {
      const beginning = firstLines(text, most);
      expect(text.startsWith(beginning)).toBe(true);
      expect(beginning.length).toBeLessThanOrEqual(most);
      expect(beginning.isWellFormed()).toBe(true);
    }),
  );
});

test('it ends with a line where one ends near', () => {
  expect(firstLines('one\ntwo\nthree', 10)).toBe('one\ntwo\n');
  const long = 'x'.repeat(5000);
  expect(firstLines(`one\n${long}`, 4000)).toBe(`one\n${long}`.slice(0, 4000));
});
