import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WorkClock } from './work-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function clockOf(limitMs: number) {
  const onLimit = vi.fn<() => void>();
  return { clock: new WorkClock(limitMs, onLimit), onLimit };
}

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

  test.each([0, 60 * 24 * 3600 * 1000])('sets no timer for a limit of %d', (limitMs) => {
    const { clock, onLimit } = clockOf(limitMs);
    clock.start();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(onLimit).not.toHaveBeenCalled();
  });

  test('leaves no timer behind', () => {
    const { clock } = clockOf(1000);
    clock.start();
    clock.pause();
    expect(vi.getTimerCount()).toBe(0);
  });
});
