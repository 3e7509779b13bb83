import { expect, test } from 'vitest';
import { Patience } from './patience.ts';

const LEASE = 30_000;
const LOOK = LEASE / 3;

/** Looks around regularly, so many times. */
function patient() {
  let time = 1_000_000;
  const patience = new Patience({ leaseMs: LEASE, now: () => time });
  const after = (ms: number) => {
    time += ms;
    return patience.look();
  };
  return { patience, after };
}

test('silence means nothing for a lease after the start', () => {
  const { after } = patient();
  expect([LOOK, LOOK, LOOK, LOOK].map(after)).toEqual([true, true, false, false]);
});

test('after a long sleep silence means nothing for a lease', () => {
  const { after } = patient();
  for (let n = 0; n < 5; n++) after(LOOK);
  expect([LOOK, 8 * LOOK, LOOK, LOOK, LOOK].map(after)).toEqual([false, true, true, true, false]);
});

test('after a time in which nobody could be heard silence means nothing for a lease', () => {
  const { patience, after } = patient();
  for (let n = 0; n < 5; n++) after(LOOK);
  patience.renew();
  expect([LOOK, LOOK, LOOK].map(after)).toEqual([true, true, false]);
});
