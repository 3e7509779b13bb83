import { expect, test } from 'vitest';
import { without } from './without.ts';

test('an entry is taken out and the others stay, in their order', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
  expect([...without(map, 'b')]).toEqual([
    ['a', 1],
    ['c', 3],
  ]);
});

test('a key that is not there changes nothing', () => {
  const map = new Map([['a', 1]]);
  expect(without(map, 'b')).toBe(map);
  expect([...map]).toEqual([['a', 1]]);
});

test('the last entry leaves a new map, and the old one as it was for whoever still reads it', () => {
  const map = new Map([['a', 1]]);
  const rest = without(map, 'a');
  expect(rest.size).toBe(0);
  expect(rest).not.toBe(map);
  expect([...map]).toEqual([['a', 1]]);
});
