import { expect, test } from 'vitest';
import { RecentIds } from './recent-ids.ts';

test('the last ids are known, at least as many as asked for, at most twice as many', () => {
  for (let length = 1; length <= 30; length += 1) {
    const ids = new RecentIds(5);
    for (let n = 1; n <= length; n += 1) ids.add(`id ${n}`);
    const known = Array.from({ length }, (_, n) => ids.has(`id ${n + 1}`));
    const recent = known.slice(known.indexOf(true));
    expect(recent).not.toContain(false);
    expect(recent.length).toBeGreaterThanOrEqual(Math.min(length, 5));
    expect(recent.length).toBeLessThan(10);
  }
});

test('an id that nobody added is not known', () => {
  expect(new RecentIds(5).has('id')).toBe(false);
});
