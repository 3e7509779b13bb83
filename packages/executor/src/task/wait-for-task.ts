import type { BatonClient } from '@baton/client';
import { BatonError, withRetry } from '@baton/protocol';

/** The length of one long poll. */
const LONGEST_WAIT_MS = 20_000;
/** Retries of a lost response continue this long after the wait has ended: the response may have contained a task. */
const LOST_ANSWER_MS = 120_000;
const TRIES = { attempts: Number.POSITIVE_INFINITY, baseMs: 100, maxMs: 2000 };

/** Waits for the next task of the session while the agent is kept ready, and returns its token. */
export async function waitForTask(
  client: BatonClient,
  keepOpenMs: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const end = performance.now() + keepOpenMs;
  const waitMs = () => Math.max(0, Math.min(Math.ceil(end - performance.now()), LONGEST_WAIT_MS));
  while (performance.now() < end && !signal?.aborted) {
    const answer = await withRetry(() => ask(client, waitMs(), signal), {
      ...TRIES,
      isTransient: (result) => result === 'later' && performance.now() < end + LOST_ANSWER_MS,
      ...(signal ? { signal } : {}),
    });
    if (answer === undefined || answer === 'later') return undefined;
    if (answer.isTask) return answer.token;
    client.connection.showToken(answer.token);
  }
  return undefined;
}

type Answer = { token: string; isTask: boolean };

/** Returns undefined if there is no further task for this executor. */
async function ask(
  client: BatonClient,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<Answer | 'later' | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const stop = () => aborted.resolve(undefined);
  signal?.addEventListener('abort', stop, { once: true });
  const asked = client.executors
    .next({ wait_ms: waitMs })
    .then(({ token, is_task: isTask }) => (token === null ? undefined : { token, isTask }))
    .catch((error) => {
      if (!BatonError.is(error)) throw error;
      return error.retryable ? ('later' as const) : undefined;
    });
  return Promise.race([asked, aborted.promise]).finally(() =>
    signal?.removeEventListener('abort', stop),
  );
}
