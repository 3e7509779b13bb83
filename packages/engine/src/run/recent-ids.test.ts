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

test('an id that was not added is unknown', () => {
  expect(new RecentIds(5).has('id')).toBe(false);
});

test('similar ids are distinguished', () => {
  const ids = new RecentIds(200_000);
  for (let n = 0; n < 100_000; n += 1) ids.add(`toolu_01AbCdEfGh${n}`);
  const mistaken = Array.from({ length: 100_000 }, (_, n) => n + 100_000).filter((n) =>
    ids.has(`toolu_01AbCdEfGh${n}`),
  );
  expect(mistaken).toEqual([]);
  expect(ids.has('toolu_01AbCdEfGh99999')).toBe(true);
});

test('adding an id again takes no further space', () => {
  const ids = new RecentIds(3);
  ids.add('first');
  for (let n = 0; n < 100; n += 1) ids.add('again');
  expect(ids.has('first')).toBe(true);
});
