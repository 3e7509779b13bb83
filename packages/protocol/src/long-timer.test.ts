import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { longTimer } from './long-timer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('rings after its time', () => {
  const ring = vi.fn();
  longTimer(ring, 1000);
  vi.advanceTimersByTime(999);
  expect(ring).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(ring).toHaveBeenCalledTimes(1);
});

test.each([2 ** 31, 1e12, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])(
  'does not ring at once because %d is too long',
  (milliseconds) => {
    const ring = vi.fn();
    const timer = longTimer(ring, milliseconds);
    vi.advanceTimersByTime(3_600_000);
    expect(ring).not.toHaveBeenCalled();
    clearTimeout(timer);
    expect(vi.getTimerCount()).toBe(0);
  },
);
