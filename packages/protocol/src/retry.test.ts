import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BatonError } from './error.ts';
import { Backoff, DEFAULT_RETRY, retryErrors, withRetry } from './retry.ts';

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

test('pauses with the given function', async () => {
  const slept: number[] = [];
  const sleep = async (milliseconds: number) => slept.push(milliseconds) < 3;
  const { act, result } = failing(9, { attempts: 5, sleep });
  expect(await result).toBe('failed');
  expect(slept).toEqual([100, 200, 400]);
  expect(act).toHaveBeenCalledTimes(3);
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
  test('ends the wait immediately with the last result', async () => {
    const abort = new AbortController();
    const { act, result } = failing(9, { signal: abort.signal, baseMs: 1_000_000 });
    await vi.advanceTimersByTimeAsync(10);
    abort.abort();
    expect(await result).toBe('failed');
    expect(act).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('before the pause skips it', async () => {
    const { pauses, result } = failing(9, { signal: AbortSignal.abort() });
    expect(await result).toBe('failed');
    expect(pauses).toEqual([]);
  });
});

test('a thrown error is not a result and is rethrown', async () => {
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

describe('an action that throws', () => {
  const unreachable = () => new BatonError('daemon_unreachable', 'Not now.');

  test('is repeated while the error is retryable', async () => {
    const act = vi.fn(async (attempt: number) => {
      if (attempt < 2) throw unreachable();
      return 'done';
    });
    const result = retryErrors(act, { attempts: 3, baseMs: 100 });
    await vi.runAllTimersAsync();
    expect(await result).toBe('done');
    expect(act.mock.calls).toEqual([[0], [1], [2]]);
  });

  test('fails with its last error', async () => {
    const act = vi.fn(() => Promise.reject(unreachable()));
    const result = retryErrors(act, { attempts: 2, baseMs: 100 }).catch((error) => error);
    await vi.runAllTimersAsync();
    expect(await result).toMatchObject({ code: 'daemon_unreachable' });
    expect(act).toHaveBeenCalledTimes(3);
  });

  test.each([new BatonError('not_found', 'Not here.'), new Error('a mistake')])(
    'is not repeated after %s',
    async (error) => {
      const act = vi.fn(() => Promise.reject(error));
      await expect(retryErrors(act, { attempts: 3, baseMs: 100 })).rejects.toBe(error);
      expect(act).toHaveBeenCalledOnce();
    },
  );

  test('is not repeated once it is aborted in a pause', async () => {
    const abort = new AbortController();
    const act = vi.fn(() => Promise.reject(unreachable()));
    const result = retryErrors(act, { baseMs: 1_000_000, signal: abort.signal });
    const error = result.catch((each) => each);
    await vi.advanceTimersByTimeAsync(10);
    abort.abort();
    expect(await error).toMatchObject({ code: 'daemon_unreachable' });
    expect(act).toHaveBeenCalledOnce();
  });
});

test('backoff starts again after a reset', async () => {
  const backoff = new Backoff({ baseMs: 100, maxMs: 300 });
  const pauses: number[] = [];
  for (const isReset of [false, false, false, true]) {
    if (isReset) backoff.reset();
    pauses.push(backoff.nextMs);
    const waited = backoff.wait();
    await vi.runAllTimersAsync();
    expect(await waited).toBe(true);
  }
  expect(pauses).toEqual([100, 200, 300, 100]);
});
