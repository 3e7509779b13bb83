import { retryErrors } from '@baton/protocol';

/** The backoff of all retries while the daemon is unreachable. */
export const RECONNECT_BACKOFF = { baseMs: 100, maxMs: 5000 };

/**
 * Repeats a request until the daemon answers; only for requests that are idempotent. The attempt number, from 0, shows
 * whether an earlier attempt may have arrived. Aborting the signal ends it with the last error.
 */
export function retryWhileUnreachable<Result>(
  ask: (attempt: number) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  return retryErrors(ask, { ...RECONNECT_BACKOFF, attempts: Number.POSITIVE_INFINITY, signal });
}
