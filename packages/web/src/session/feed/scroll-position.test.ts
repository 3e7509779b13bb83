import { expect, test } from 'vitest';
import { rowOfScrollPosition, savedScrollPosition, saveScrollPosition } from './scroll-position.ts';

const ROWS = [
  { id: '3', cursor: 3 },
  { id: '9', cursor: 9 },
  { id: 'sub', cursor: 12, orphansOf: 'sub' },
];

test('a position is that of its row, or of the nearest one before it', () => {
  const at = (row: string, cursor: number) => rowOfScrollPosition(ROWS, { row, cursor, above: 0 });
  expect(at('9', 9)).toBe(1);
  expect(at('sub', 10)).toBe(2);
  expect(at('gone', 11)).toBe(1);
  expect(at('gone', 1)).toBe(0);
});

test('each session has its own scroll position, until its end is reached', () => {
  const position = { row: '9', cursor: 9, above: 4 };
  saveScrollPosition('one', position);
  expect(savedScrollPosition('one')).toEqual(position);
  expect(savedScrollPosition('other')).toBeUndefined();
  saveScrollPosition('one', undefined);
  expect(savedScrollPosition('one')).toBeUndefined();
});
