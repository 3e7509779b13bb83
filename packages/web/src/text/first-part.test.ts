import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstPart, partOf } from './first-part.ts';

const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}`);

test('a text of some lines is shown whole', () => {
  const text = lines(16).join('\n');
  expect(firstPart(text)).toEqual({ shown: text });
});

test('shows the first lines and the number of the others', () => {
  const text = `${lines(100).join('\n')}\n`;
  expect(firstPart(text)).toEqual({ shown: lines(14).join('\n'), more: '86 more lines' });
});

test('shows the beginning of a long line and the number of further characters', () => {
  const text = 'x'.repeat(30_000);
  expect(firstPart(text)).toEqual({ shown: 'x'.repeat(1000), more: '29,000 more characters' });
  expect(firstPart(`a\n${text}\nb`).more).toBe('29,004 more characters');
});

test('is shown for anything but white space, and splits no character', () => {
  const unit = fc.constantFrom('a', '\n', '漢', '🎼', 'word '.repeat(100));
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
      const { shown, more } = firstPart(text);
      expect(text.startsWith(shown)).toBe(true);
      expect(shown.isWellFormed()).toBe(true);
      expect(more === undefined).toBe(shown === text);
      expect(shown.split('\n').length).toBeLessThanOrEqual(16);
      expect(shown.length).toBeLessThanOrEqual(1200);
    }),
  );
});

test('shows how much comes next when it is too long for one step', () => {
  const text = 'x'.repeat(1_000_000);
  expect(firstPart(text).more).toBe('100,000 of 999,000 more characters');
  expect(firstPart(`${'a\n'.repeat(40)}${text}`).more).toBe('100,000 of 1,000,053 more characters');
  expect(partOf(text, 901_000).more).toBe('99,000 more characters');
  expect(partOf(text, 1_000_000)).toEqual({ shown: text });
});

test('adds less right-to-left text at a time, because its words must be reordered', () => {
  expect(firstPart('א'.repeat(30_000)).more).toBe('10,000 of 29,000 more characters');
});

test('no later part has half of a character', () => {
  expect(partOf('ab🎼c', 3)).toEqual({ shown: 'ab', more: '3 more characters' });
});
