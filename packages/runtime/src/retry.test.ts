import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DEFAULT_RETRY, withRetry } from './retry.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets something fail so many times, and keeps count. */
function failing(times: number, more: Partial<Parameters<typeof withRetry<string>>[1]> = {}) {
  const act = vi.fn(async (attempt: number) => (attempt < times ? 'failed' : 'done'));
  const pauses: number[] = [];
  const result = withRetry(act, {
    attempts: 3,
    baseMs: 100,
    isTransient: (each) => each === 'failed',
    onRetry: (_result, _attempt, pauseMs) => pauses.push(pauseMs),
    ...more,
  });
  return { act, pauses, result };
}

test('what works at once is done once', async () => {
  const { act, pauses, result } = failing(0);
  expect(await result).toBe('done');
  expect(act).toHaveBeenCalledTimes(1);
  expect(pauses).toEqual([]);
});

test('pauses double', async () => {
  const { act, pauses, result } = failing(3);
  await vi.runAllTimersAsync();
  expect(await result).toBe('done');
  expect(pauses).toEqual([100, 200, 400]);
  expect(act.mock.calls).toEqual([[0], [1], [2], [3]]);
});

test('no pause is longer than the longest', async () => {
  const { pauses, result } = failing(5, { attempts: 5, maxMs: 300 });
  await vi.runAllTimersAsync();
  expect(await result).toBe('done');
  expect(pauses).toEqual([100, 200, 300, 300, 300]);
});

test('the default is three more tries, the first after five seconds', async () => {
  expect(DEFAULT_RETRY).toEqual({ attempts: 3, baseMs: 5000 });
  const { pauses, result } = failing(9, { baseMs: undefined });
  await vi.runAllTimersAsync();
  expect(await result).toBe('failed');
  expect(pauses).toEqual([5000, 10_000, 20_000]);
});

test('nothing is done before its pause is over', async () => {
  const { act } = failing(1);
  await vi.advanceTimersByTimeAsync(99);
  expect(act).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(act).toHaveBeenCalledTimes(2);
});

test('no attempts means no second try', async () => {
  const { act, result } = failing(9, { attempts: 0 });
  expect(await result).toBe('failed');
  expect(act).toHaveBeenCalledTimes(1);
});

test('a failure that does not pass is not tried again', async () => {
  const { act, result } = failing(9, { isTransient: () => false });
  expect(await result).toBe('failed');
  expect(act).toHaveBeenCalledTimes(1);
});

describe('an abort', () => {
  test('ends the waiting at once, and the last result stands', async () => {
    const abort = new AbortController();
    const { act, result } = failing(9, { signal: abort.signal, baseMs: 1_000_000 });
    await vi.advanceTimersByTimeAsync(10);
    abort.abort();
    expect(await result).toBe('failed');
    expect(act).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('before the pause begins there is none', async () => {
    const { pauses, result } = failing(9, { signal: AbortSignal.abort() });
    expect(await result).toBe('failed');
    expect(pauses).toEqual([]);
  });
});

test('an error that is thrown is no result and is passed on', async () => {
  const broken = withRetry(
    async () => {
      throw new Error('a mistake');
    },
    { attempts: 3, isTransient: () => true },
  );
  await expect(broken).rejects.toThrow('a mistake');
});

test('it is tried as often as it fails, but never more than once beyond the attempts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(6), fc.nat(6), async (times, attempts) => {
      const { act, result } = failing(times, { attempts });
      await vi.runAllTimersAsync();
      expect(await result).toBe(times <= attempts ? 'done' : 'failed');
      expect(act).toHaveBeenCalledTimes(Math.min(times, attempts) + 1);
    }),
  );
});

test('a pause that no timer can count is still a long pause', async () => {
  const { act, pauses } = failing(40, { attempts: 40, baseMs: 3_000_000_000 });
  await vi.advanceTimersByTimeAsync(1000);
  expect(act).toHaveBeenCalledTimes(1);
  expect(pauses).toHaveLength(1);
});
