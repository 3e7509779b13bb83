import { Backoff, BatonError, type LogEvent } from '@baton/protocol';
import type { Connection } from './connection.ts';
import { RECONNECT_BACKOFF } from './retry-while-unreachable.ts';

export type FollowOptions = {
  /** The last cursor that the caller already has; without it, the events start at the beginning. */
  after?: number | undefined;
  /** Types of events to yield; all by default. */
  types?: readonly LogEvent['type'][] | undefined;
  /** Aborting it ends the stream. */
  signal?: AbortSignal | undefined;
  /** Called when the connection to the daemon is lost, and when it is back. */
  onConnection?: ((state: 'lost' | 'back') => void) | undefined;
};

const WAIT_MS = 25_000;
const ANSWER_MS = 2 * WAIT_MS;
const AT_ONCE = 2000;

/**
 * Yields the events of a session, each once and in order, until the caller stops reading. Retries transient errors with
 * backoff; throws if the client is closed.
 */
export async function* follow(
  connection: Connection,
  sessionId: string,
  { after = 0, types, signal, onConnection }: FollowOptions = {},
): AsyncGenerator<LogEvent> {
  const stops = signal ? AbortSignal.any([connection.closed, signal]) : connection.closed;
  const backoff = new Backoff({ ...RECONNECT_BACKOFF, signal: stops });
  let isLost = false;
  let coming: ReturnType<typeof nextPage> | undefined;
  const pageAfter = (cursor: number) => {
    // A daemon that is back says so at once, also when there is nothing new.
    const wait = isLost ? 0 : WAIT_MS;
    return nextPage(connection, { session_id: sessionId, after: cursor, wait, types }, signal);
  };
  for (let cursor = after; !signal?.aborted; ) {
    const page = await (coming ?? pageAfter(cursor));
    coming = undefined;
    if (signal?.aborted) return;
    if (isLost !== (page === 'later')) {
      isLost = !isLost;
      onConnection?.(isLost ? 'lost' : 'back');
    }
    if (page === 'later') {
      await backoff.wait();
      continue;
    }
    backoff.reset();
    cursor = page.cursor;
    if (page.events.length >= AT_ONCE) {
      // There is more: it comes while this page is read.
      coming = pageAfter(cursor);
      coming.catch(() => {});
    }
    for (const event of page.events) {
      if (signal?.aborted) return;
      yield event;
    }
  }
}

type FollowPlace = {
  session_id: string;
  after: number;
  wait: number;
  types: readonly string[] | undefined;
};
type FollowPage = { events: LogEvent[]; cursor: number };

async function nextPage(
  connection: Connection,
  place: FollowPlace,
  signal: AbortSignal | undefined,
): Promise<FollowPage | 'later'> {
  const query = { ...place, limit: AT_ONCE };
  const asked = connection.call<FollowPage>('events', 'find', [query], ANSWER_MS);
  try {
    return (await untilAborted(asked, signal)) ?? { events: [], cursor: place.after };
  } catch (error) {
    if (BatonError.is(error) && error.retryable) return 'later';
    throw error;
  }
}

/** Resolves with the value of a promise, or with undefined once the signal is aborted. */
async function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value | undefined> {
  if (!signal) return promise;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  promise.catch(() => {});
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
