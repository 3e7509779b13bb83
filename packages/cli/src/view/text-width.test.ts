import { expect, test } from 'vitest';
import { cutToWidth, textWidth } from './text-width.ts';

test.each([
  ['', 0],
  ['plain text', 10],
  ['Grüße – “so” …', 14],
  ['日本語', 6],
  ['한국어', 6],
  ['ｆｕｌｌ', 8],
  ['👍', 2],
  ['👍🏽', 2],
  ['👩‍👩‍👧', 2],
  ['❤️', 2],
  ['🇯🇵', 2],
  ['e\u0301', 1],
  ['a\u200Bb', 2],
  ['✓ done', 6],
])('%j is %i columns wide', (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

test.each([
  ['plain', 3, 'pla'],
  ['日本語', 6, '日本語'],
  ['日本語', 5, '日本'],
  ['a👩‍👩‍👧b', 2, 'a'],
  ['a👩‍👩‍👧b', 3, 'a👩‍👩‍👧'],
  ['日', 0, ''],
])('%j cut to %i columns is %j', (text, columns, expected) => {
  expect(cutToWidth(text, columns)).toBe(expected);
});
