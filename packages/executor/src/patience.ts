import { BatonError } from '@baton/protocol';
import { raceTimer, withRetry } from '@baton/runtime';

export type Patience = {
  /** Aborting it ends the waiting. */
  signal?: AbortSignal | undefined;
  /** Told once when there is no answer for a while. */
  onSilence(): void;
};

/** A daemon that is just being started again is waited for. */
const TRIES = { attempts: 20, baseMs: 100, maxMs: 2000 };
const SILENCE_MS = 3000;
/** An answer that is already on its way is waited for: it may be a task, which would be lost otherwise. */
const LAST_WAIT_MS = 1000;
const FOR_EVER_MS = 2 ** 31 - 1;

/** Asks a daemon something, again and again for some minutes while that fails in passing. */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  { signal, onSilence }: Patience,
): Promise<Answer> {
  const asking = withRetry<Answer | BatonError>(() => ask().catch(known), {
    ...TRIES,
    isTransient,
    ...(signal ? { signal } : {}),
  });
  const settled = asking.then(nothing, nothing);
  const timer = setTimeout(onSilence, SILENCE_MS);
  const isAnswered =
    (await raceTimer([settled], FOR_EVER_MS, signal)) || (await raceTimer([settled], LAST_WAIT_MS));
  clearTimeout(timer);
  const answer = isAnswered ? await asking : undefined;
  if (answer === undefined || (signal?.aborted && isTransient(answer))) {
    throw new BatonError('interrupted', 'It was stopped before it had a task.');
  }
  if (BatonError.is(answer)) throw answer;
  return answer;
}

function isTransient(answer: unknown): boolean {
  return BatonError.is(answer) && answer.retryable;
}

function known(error: unknown): BatonError {
  if (BatonError.is(error)) return error;
  throw error;
}

function nothing(): void {}
