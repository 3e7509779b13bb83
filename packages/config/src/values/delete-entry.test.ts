import { expect, test } from 'vitest';
import { deleteEntry } from './delete-entry.ts';

test('removes an entry and keeps the others in order', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
  expect([...deleteEntry(map, 'b')]).toEqual([
    ['a', 1],
    ['c', 3],
  ]);
});

test('a key that is not there changes nothing', () => {
  const map = new Map([['a', 1]]);
  expect(deleteEntry(map, 'b')).toBe(map);
  expect([...map]).toEqual([['a', 1]]);
});

test('the last entry leaves a new map, and the old one unchanged for those who still read it', () => {
  const map = new Map([['a', 1]]);
  const rest = deleteEntry(map, 'a');
  expect(rest.size).toBe(0);
  expect(rest).not.toBe(map);
  expect([...map]).toEqual([['a', 1]]);
});
