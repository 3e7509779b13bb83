import { expect, test } from 'vitest';
import { SilenceWatch } from './silence-watch.ts';

const LEASE = 30_000;
const LOOK = LEASE / 3;

/** Looks around again and again at one executor. */
function watched() {
  let time = 1_000_000;
  const watch = new SilenceWatch({ leaseMs: LEASE, now: () => time });
  const after = (ms: number, mark = 'same') => {
    time += ms;
    watch.look();
    return watch.silentFor('e', mark);
  };
  return { watch, after };
}

test('silence counts from the first look that sees the same mark', () => {
  const { after } = watched();
  expect([LOOK, LOOK, LOOK].map((ms) => after(ms))).toEqual([0, LOOK, 2 * LOOK]);
});

test('a heartbeat resets the silence', () => {
  const { after } = watched();
  after(LOOK);
  after(LOOK);
  expect(after(LOOK, 'another')).toBe(0);
  expect(after(LOOK, 'another')).toBe(LOOK);
});

test('silence restarts after a pause without heartbeats', () => {
  const { after } = watched();
  for (let n = 0; n < 5; n++) after(LOOK);
  expect([8 * LOOK, LOOK].map((ms) => after(ms))).toEqual([0, LOOK]);
});

test('silence restarts after a restart', () => {
  const { watch, after } = watched();
  for (let n = 0; n < 5; n++) after(LOOK);
  watch.restart();
  expect([LOOK, LOOK].map((ms) => after(ms))).toEqual([0, LOOK]);
});

test('forgets executors that were not seen', () => {
  const { watch, after } = watched();
  after(LOOK);
  watch.look();
  expect(after(LOOK)).toBe(0);
});
