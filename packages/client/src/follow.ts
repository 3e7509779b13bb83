import { BatonError, type LogEvent } from '@baton/protocol';
import type { Connection } from './connection.ts';
import { Pauses, untilAborted } from './pauses.ts';

export type FollowOptions = {
  /** The last cursor that is known already; everything from the beginning without it. */
  after?: number | undefined;
  /** Aborting it ends the following. */
  signal?: AbortSignal | undefined;
  /** Told when the daemon does not answer any more, and when it does again. */
  onLine?: ((state: 'lost' | 'back') => void) | undefined;
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
  { after = 0, signal, onLine }: FollowOptions = {},
): AsyncGenerator<LogEvent> {
  const pauses = new Pauses(connection.closed, signal);
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
      onLine?.(isLost ? 'lost' : 'back');
    }
    if (page === 'later') {
      await pauses.next();
      continue;
    }
    pauses.reset();
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
