import { expect, test } from 'vitest';
import { indexOfPlace, keepPlace, keptPlace } from './kept-place.ts';

const ROWS = [
  { id: '3', cursor: 3 },
  { id: '9', cursor: 9 },
  { id: 'sub', cursor: 12, orphansOf: 'sub' },
];

test('a place is that of its row, or of the nearest one before it', () => {
  const at = (row: string, cursor: number) => indexOfPlace(ROWS, { row, cursor, above: 0 });
  expect(at('9', 9)).toBe(1);
  expect(at('sub', 10)).toBe(2);
  expect(at('gone', 11)).toBe(1);
  expect(at('gone', 1)).toBe(0);
});

test('each session has its own place, until somebody is at its end', () => {
  const place = { row: '9', cursor: 9, above: 4 };
  keepPlace('one', place);
  expect(keptPlace('one')).toEqual(place);
  expect(keptPlace('other')).toBeUndefined();
  keepPlace('one', undefined);
  expect(keptPlace('one')).toBeUndefined();
});
