import { BatonError } from './error.ts';
import { longTimer } from './long-timer.ts';

/** Three more attempts, the first after five seconds. */
export const DEFAULT_RETRY = { attempts: 3, baseMs: 5000 };

export type BackoffOptions = {
  /** The first pause. */
  baseMs: number;
  /** Longest pause. */
  maxMs?: number | undefined;
  /** Aborting it ends a pause at once. */
  signal?: AbortSignal | undefined;
  /** Pauses; `delay` by default. */
  sleep?: typeof delay | undefined;
};

/** Exponential backoff: each pause is twice as long as the one before. */
export class Backoff {
  #options: BackoffOptions;
  #nextMs: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#nextMs = options.baseMs;
  }

  /** The length of the next pause. */
  get nextMs(): number {
    return Math.min(this.#nextMs, this.#options.maxMs ?? Number.POSITIVE_INFINITY);
  }

  /** Pauses; resolves with false if the signal ended the pause early. */
  wait(): Promise<boolean> {
    const milliseconds = this.nextMs;
    this.#nextMs = 2 * milliseconds;
    const { sleep = delay, signal } = this.#options;
    return sleep(milliseconds, signal);
  }

  /** Starts again with the first pause. Call it after a success. */
  reset(): void {
    this.#nextMs = this.#options.baseMs;
  }
}

export type RetryLimits = {
  /** The number of attempts after the first. */
  attempts?: number | undefined;
  baseMs?: number | undefined;
  maxMs?: number | undefined;
  /** Aborting it ends the retries; the last result stands. */
  signal?: AbortSignal | undefined;
  /** Pauses; `delay` by default. */
  sleep?: typeof delay | undefined;
};

export type RetryPolicy<Result> = RetryLimits & {
  /** True if the result is a transient failure, which is retried. */
  isTransient(result: Result): boolean;
  /** Called before each pause. */
  onRetry?(result: Result, attempt: number, pauseMs: number): void;
};

/**
 * Repeats an action with backoff while its result is a transient failure. The action receives the number of the
 * attempt, from 0.
 */
export async function withRetry<Result>(
  act: (attempt: number) => Promise<Result>,
  policy: RetryPolicy<Result>,
): Promise<Result> {
  const { attempts = DEFAULT_RETRY.attempts, baseMs = DEFAULT_RETRY.baseMs } = policy;
  const { maxMs, signal, sleep } = policy;
  const backoff = new Backoff({ baseMs, maxMs, signal, sleep });
  for (let attempt = 0; ; attempt += 1) {
    const result = await act(attempt);
    if (attempt >= attempts || signal?.aborted || !policy.isTransient(result)) return result;
    policy.onRetry?.(result, attempt + 1, backoff.nextMs);
    if (!(await backoff.wait())) return result;
  }
}

/** Like `withRetry`, for an action that throws: retries while the error is a retryable `BatonError`. */
export async function retryErrors<Result>(
  act: (attempt: number) => Promise<Result>,
  options: RetryLimits,
): Promise<Result> {
  type Attempt = { result: Result } | { error: unknown };
  const last = await withRetry<Attempt>(
    (attempt) =>
      act(attempt).then(
        (result) => ({ result }),
        (error) => ({ error }),
      ),
    { ...options, isTransient: (each) => 'error' in each && isRetryable(each.error) },
  );
  if ('error' in last) throw last.error;
  return last.result;
}

function isRetryable(error: unknown): boolean {
  return BatonError.is(error) && error.retryable;
}

/** Waits; resolves with false if the signal ended the wait early. */
export function delay(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = () => resolve(false);
  const timer = longTimer(() => resolve(true), milliseconds);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  });
}
