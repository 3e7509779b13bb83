import { longTimer } from './long-timer.ts';

/** Three more tries, the first after five seconds. */
export const DEFAULT_RETRY = { attempts: 3, baseMs: 5000 };

export type RetryPolicy<Result> = {
  attempts?: number | undefined;
  baseMs?: number | undefined;
  /** No pause is longer. */
  maxMs?: number | undefined;
  /** Whether a result is a failure that may pass by itself. */
  isTransient(result: Result): boolean;
  /** Told before each pause. */
  onRetry?(result: Result, attempt: number, pauseMs: number): void;
  /** Ends the waiting; the last result stands. */
  signal?: AbortSignal;
};

/** Does something again while it fails in passing, with pauses that double. */
export async function withRetry<Result>(
  act: (attempt: number) => Promise<Result>,
  policy: RetryPolicy<Result>,
): Promise<Result> {
  const { attempts = DEFAULT_RETRY.attempts, baseMs = DEFAULT_RETRY.baseMs, maxMs } = policy;
  for (let attempt = 0; ; attempt += 1) {
    const result = await act(attempt);
    if (attempt >= attempts || policy.signal?.aborted || !policy.isTransient(result)) return result;
    const pauseMs = Math.min(baseMs * 2 ** attempt, maxMs ?? Number.POSITIVE_INFINITY);
    policy.onRetry?.(result, attempt + 1, pauseMs);
    if (!(await pause(pauseMs, policy.signal))) return result;
  }
}

/** Waits, and tells whether it waited to the end. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const giveUp = () => resolve(false);
  const timer = longTimer(() => resolve(true), milliseconds);
  signal?.addEventListener('abort', giveUp, { once: true });
  if (signal?.aborted) giveUp();
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  });
}
