import { expect, test } from 'vitest';
import { hiddenWords, previewOf } from './output-preview.ts';

const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}`);

test('a short output is shown whole, without its empty end', () => {
  expect(previewOf('a\nb\n\n')).toEqual({ first: 'a\nb', last: '' });
});

test('of a long output both ends are shown', () => {
  expect(previewOf(`${lines(1000).join('\n')}\n`)).toEqual({
    first: 'line 0\nline 1\nline 2',
    last: 'line 994\nline 995\nline 996\nline 997\nline 998\nline 999',
    hidden: { lines: 991 },
  });
});

test('a line without end is cut', () => {
  const { first, last, hidden } = previewOf('x'.repeat(1_000_000));
  expect(first.length).toBeLessThan(400);
  expect([last, hidden]).toEqual(['', { lines: 0 }]);
});

test('what can be unfolded is all of it only when nothing was cut out', () => {
  expect(hiddenWords({ lines: 3 }, { here: 100 })).toBe('Show 3 more lines');
  expect(hiddenWords({ lines: 0 }, { here: 2048 })).toBe('Show all 2 KB');
  expect(hiddenWords({ lines: 0 }, { here: 2048, cut: 9 })).toBe('Show available 2 KB');
});
