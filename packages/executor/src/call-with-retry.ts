import { raceTimer } from '@baton/process/time/race-timer';
import { BatonError, retryErrors } from '@baton/protocol';

export type CallOptions = {
  /** Aborting it ends the retries. */
  signal?: AbortSignal | undefined;
  /** Called once when the daemon has not answered for a few seconds. */
  onNoAnswer(): void;
};

/** Long enough for a daemon that restarts. */
const RETRY = { attempts: 20, baseMs: 100, maxMs: 2000 };
const NO_ANSWER_MS = 3000;
/** An answer that is already on its way is waited for: it may be a task, which would be lost otherwise. */
const LAST_WAIT_MS = 1000;

/** Calls the daemon, with retries while the error is transient. */
export async function callWithRetry<Answer>(
  call: () => Promise<Answer>,
  { signal, onNoAnswer }: CallOptions,
): Promise<Answer> {
  const calling = retryErrors(call, { ...RETRY, signal });
  const settled = calling.then(nothing, nothing);
  const timer = setTimeout(onNoAnswer, NO_ANSWER_MS);
  const isSettled =
    (await raceTimer([settled], Number.POSITIVE_INFINITY, signal)) ||
    (await raceTimer([settled], LAST_WAIT_MS));
  clearTimeout(timer);
  if (!isSettled) throw interrupted();
  return calling.catch((error) => {
    throw signal?.aborted && BatonError.is(error) && error.retryable ? interrupted() : error;
  });
}

function interrupted(): BatonError {
  return new BatonError('interrupted', 'Stopped before a task was claimed.');
}

function nothing(): void {}
