import { expect, test } from 'vitest';
import { roomFor } from './room-for.ts';

test('a list opens above where it fits, else where there is more room, and never higher than that', () => {
  expect(roomFor(200, { above: 300, below: 600 })).toEqual({ side: 'above', most: 200 });
  expect(roomFor(200, { above: 150, below: 600 })).toEqual({ side: 'below', most: 200 });
  expect(roomFor(200, { above: 150, below: 100 })).toEqual({ side: 'above', most: 142 });
  expect(roomFor(200, { above: 0, below: 0 })).toEqual({ side: 'above', most: 0 });
});
