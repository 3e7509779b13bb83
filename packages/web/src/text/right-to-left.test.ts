import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byDirection } from './right-to-left.ts';

test('right-to-left words are separate parts, and so is the text between them', () => {
  expect(byDirection('cp -r א 1 ב')).toEqual(['cp -r ', 'א', ' 1 ', 'ב', '']);
  expect(byDirection('a/שָׁלוֹם-٣/ߊ')).toEqual(['a/', 'שָׁלוֹם', '-', '٣', '/', 'ߊ', '']);
  expect(byDirection('ls -la Grüße 漢字')).toEqual(['ls -la Grüße 漢字']);
});

test('the parts together are the text', () => {
  const unit = fc.oneof(fc.constantFrom('א', 'ب', '١', ' ', '1', '\u0301'), fc.string());
  fc.assert(
    fc.property(fc.string({ unit: unit }), (text) => {
      expect(byDirection(text).join('')).toBe(text);
    }),
  );
});
