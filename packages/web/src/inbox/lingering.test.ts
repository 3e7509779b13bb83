import { expect, test } from 'vitest';
import { withGone } from './lingering.ts';

test('rows that have gone stay in their places, and new ones stand at the end', () => {
  const shown = withGone(['a', 'b', 'c'], ['a', 'c', 'd'], (row) => row);
  expect(shown.map(({ row, isGone }) => `${row}${isGone ? ' gone' : ''}`)).toEqual([
    ...['a', 'b gone', 'c', 'd'],
  ]);
});
