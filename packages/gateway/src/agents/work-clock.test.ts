import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WorkClock } from './work-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function clockOf(limitMs: number) {
  const onLimit = vi.fn<() => void>();
  return { clock: new WorkClock(limitMs, onLimit), onLimit };
}

const DAY_MS = 86_400_000;

describe('the work clock', () => {
  test('calls back at its limit, once', () => {
    const { clock, onLimit } = clockOf(1000);
    clock.start();
    vi.advanceTimersByTime(999);
    expect(onLimit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onLimit).toHaveBeenCalledOnce();
    clock.pause();
    clock.start();
    vi.advanceTimersByTime(10_000);
    expect(onLimit).toHaveBeenCalledOnce();
  });

  test('does not count pauses', () => {
    const { clock, onLimit } = clockOf(1000);
    clock.start();
    vi.advanceTimersByTime(600);
    clock.pause();
    clock.pause();
    vi.advanceTimersByTime(60_000);
    clock.start();
    clock.start();
    vi.advanceTimersByTime(399);
    expect(onLimit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onLimit).toHaveBeenCalledOnce();
  });

  test('sets no timer without a limit', () => {
    const { clock, onLimit } = clockOf(0);
    clock.start();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(onLimit).not.toHaveBeenCalled();
  });

  test('keeps a limit of 60 days, which is more than a timer can take', () => {
    const { clock, onLimit } = clockOf(60 * DAY_MS);
    clock.start();
    vi.advanceTimersByTime(60 * DAY_MS - 1);
    expect(onLimit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onLimit).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves no timer behind', () => {
    const { clock } = clockOf(1000);
    clock.start();
    clock.pause();
    expect(vi.getTimerCount()).toBe(0);
  });
});
