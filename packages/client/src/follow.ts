import { Backoff, BatonError, type LogEvent } from '@baton/protocol';
import type { Connection } from './connection.ts';
import { RECONNECT_BACKOFF } from './retry-while-unreachable.ts';

export type FollowOptions = {
  /** The last cursor that is known already; everything from the beginning without it. */
  after?: number | undefined;
  /** Aborting it ends the following. */
  signal?: AbortSignal | undefined;
  /** Called when the connection to the daemon is lost, and when it is back. */
  onConnection?: ((state: 'lost' | 'back') => void) | undefined;
};

const WAIT_MS = 25_000;
const ANSWER_MS = 2 * WAIT_MS;
const AT_ONCE = 2000;

/**
 * Gives the events of a session, each once and in order, for as long as it is read; whatever may pass is waited out, and
 * a client that is closed is an error.
 */
export async function* follow(
  connection: Connection,
  sessionId: string,
  { after = 0, signal, onConnection }: FollowOptions = {},
): AsyncGenerator<LogEvent> {
  const stops = signal ? AbortSignal.any([connection.closed, signal]) : connection.closed;
  const backoff = new Backoff({ ...RECONNECT_BACKOFF, signal: stops });
  let isLost = false;
  let coming: ReturnType<typeof nextPage> | undefined;
  const pageAfter = (cursor: number) => {
    // A daemon that is back says so at once, also when there is nothing new.
    const wait = isLost ? 0 : WAIT_MS;
    return nextPage(connection, { session_id: sessionId, after: cursor, wait }, signal);
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
    const last = page.at(-1);
    if (last && page.length >= AT_ONCE) {
      // There is more: it comes while this page is read.
      coming = pageAfter(last.cursor);
      coming.catch(() => {});
    }
    for (const event of page) {
      if (signal?.aborted) return;
      cursor = event.cursor;
      yield event;
    }
  }
}

async function nextPage(
  connection: Connection,
  place: { session_id: string; after: number; wait: number },
  signal: AbortSignal | undefined,
): Promise<LogEvent[] | 'later'> {
  const query = { ...place, limit: AT_ONCE };
  const asked = connection.call<{ events: LogEvent[] }>('events', 'find', [query], ANSWER_MS);
  try {
    return (await untilAborted(asked, signal))?.events ?? [];
  } catch (error) {
    if (BatonError.is(error) && error.retryable) return 'later';
    throw error;
  }
}

/** What a promise gives; nothing once the signal is aborted. */
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
