import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginningOf, shortened } from './shortened.ts';

const texts = fc.string({ unit: fc.constantFrom('a', ' ', '漢', '🎼') });
const lengths = fc.integer({ min: 1, max: 12 });

test('a text that fits stays as it is', () => {
  fc.assert(fc.property(texts, (text) => shortened(text, text.length) === text));
});

test('a longer one is not longer than it may be, and has no half characters', () => {
  fc.assert(
    fc.property(texts, lengths, (text, most) => {
      for (const short of [shortened(text, most), beginningOf(text, most)]) {
        expect(short.length).toBeLessThanOrEqual(most);
        expect(short.isWellFormed()).toBe(true);
      }
      expect(text.startsWith(beginningOf(text, most))).toBe(true);
    }),
  );
});

test('says how much was omitted', () => {
  expect(shortened('one two three', 8)).toBe('one two…');
  expect(shortened('a🎼b', 3)).toBe('a…');
});
