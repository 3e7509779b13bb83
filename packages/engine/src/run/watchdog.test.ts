import type { Timeouts } from '@baton/protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Alarm, Watchdog } from './watchdog.ts';

const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watchdog, the alarms it rang, and whether what it watches is busy. */
function watch(timeouts: Timeouts) {
  const alarms: Alarm[] = [];
  const state = { busy: false };
  const dog = new Watchdog(
    timeouts,
    () => state.busy,
    (alarm) => alarms.push(alarm),
  );
  return { dog, alarms, state };
}

describe('the start', () => {
  test('an agent that never says anything rings once', () => {
    const { alarms } = watch({ startMs: 1000 });
    vi.advanceTimersByTime(999);
    expect(alarms).toEqual([]);
    vi.advanceTimersByTime(10 * MINUTE);
    expect(alarms).toEqual(['start']);
  });

  test('a sign of life in time is enough for ever, when no idle limit is set', () => {
    const { dog, alarms } = watch({ startMs: 1000 });
    vi.advanceTimersByTime(999);
    dog.life();
    vi.advanceTimersByTime(100_000);
    expect(alarms).toEqual([]);
  });
});

describe('idling', () => {
  test('counts from the last sign of life', () => {
    const { dog, alarms } = watch({ idleMs: 1000 });
    dog.life();
    for (let n = 0; n < 20; n += 1) {
      vi.advanceTimersByTime(900);
      dog.life();
    }
    expect(alarms).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(alarms).toEqual(['idle']);
  });

  test('does not count before the first sign of life', () => {
    const { alarms } = watch({ idleMs: 1000, startMs: 0 });
    vi.advanceTimersByTime(100_000);
    expect(alarms).toEqual([]);
  });

  test('pauses while a tool runs or a request is pending, and restarts afterwards', () => {
    const { dog, alarms, state } = watch({ idleMs: 1000 });
    dog.life();
    state.busy = true;
    vi.advanceTimersByTime(10 * MINUTE);
    state.busy = false;
    vi.advanceTimersByTime(999);
    expect(alarms).toEqual([]);
    vi.advanceTimersByTime(2000);
    expect(alarms).toEqual(['idle']);
  });
});

describe('the whole time', () => {
  test('runs out however lively or busy the agent is', () => {
    const { dog, alarms, state } = watch({ totalMs: 5000 });
    state.busy = true;
    for (let n = 0; n < 60; n += 1) {
      vi.advanceTimersByTime(100);
      dog.life();
    }
    expect(alarms).toEqual(['total']);
  });

  test('can be longer than a timer can count', () => {
    const { dog, alarms } = watch({ totalMs: 1000 * 60 * MINUTE, idleMs: 0 });
    vi.advanceTimersByTime(MINUTE);
    expect(alarms).toEqual([]);
    dog.stop();
  });
});

describe('quiet', () => {
  test('a long silence is worth a notice, once for each silence', () => {
    const { dog, alarms } = watch({});
    dog.life();
    vi.advanceTimersByTime(9 * MINUTE);
    expect(alarms).toEqual(['quiet']);
    dog.life();
    vi.advanceTimersByTime(9 * MINUTE);
    expect(alarms).toEqual(['quiet', 'quiet']);
  });

  test('an agent that says something every minute is not quiet', () => {
    const { dog, alarms } = watch({});
    for (let n = 0; n < 30; n += 1) {
      dog.life();
      vi.advanceTimersByTime(MINUTE);
    }
    expect(alarms).toEqual([]);
  });

  test('comes before an idle limit that is longer', () => {
    const { dog, alarms } = watch({ idleMs: 5 * MINUTE });
    dog.life();
    vi.advanceTimersByTime(20 * MINUTE);
    expect(alarms).toEqual(['quiet', 'idle']);
  });
});

test('no limit means none', () => {
  const { dog, alarms } = watch({ startMs: 0, idleMs: 0, totalMs: 0 });
  dog.life();
  vi.advanceTimersByTime(100_000);
  expect(alarms).toEqual([]);
});

test('a watchdog that was stopped never rings and leaves no timer', () => {
  const { dog, alarms } = watch({ startMs: 1, idleMs: 1, totalMs: 1 });
  dog.stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(10 * MINUTE);
  expect(alarms).toEqual([]);
});

test('a sign of life after the stop does not wake it up', () => {
  const { dog } = watch({ idleMs: 1 });
  dog.stop();
  dog.life();
  expect(vi.getTimerCount()).toBe(0);
});
