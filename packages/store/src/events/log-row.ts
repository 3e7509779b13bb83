import type { LogEvent } from '@baton/protocol';
import type { Db } from '../engine/engine.ts';

/** The maximum number of characters in a row; a single event may be longer. */
const ROW_CHARACTERS = 512 * 1024;
/** Rows are read few at a time, because they may be long, and then more. */
const FIRST_ROWS = 16;
const MOST_ROWS = 64;
/** A page ends after this many characters, however few events they are. */
const PAGE_CHARACTERS = 1024 * 1024;

/** Writes events that have their places, and tells how many characters they have as JSON. */
export async function insertEvents(
  db: Db,
  sessionId: string,
  events: readonly LogEvent[],
  at: number,
): Promise<number> {
  let characters = 0;
  for (const { batch, body } of inBatches(events)) {
    characters += body.length;
    await db
      .insertInto('log')
      .values({
        session_id: sessionId,
        last_cursor: batch.at(-1)?.cursor ?? 0,
        events: batch.length,
        at,
        body,
      })
      .execute();
  }
  return characters;
}

export type LogPage = {
  events: LogEvent[];
  /** False only when the end of the log was reached. */
  hasMore: boolean;
};

/** Reads the events behind a cursor, about as many as asked for or fewer long ones: batches are not cut at their end. */
export async function readEvents(
  db: Db,
  sessionId: string,
  after: number,
  limit: number,
): Promise<LogPage> {
  const events: LogEvent[] = [];
  let characters = 0;
  for (let from = after, count = FIRST_ROWS; ; count = Math.min(2 * count, MOST_ROWS)) {
    const rows = await db
      .selectFrom('log')
      .select(['last_cursor', 'body'])
      .where('session_id', '=', sessionId)
      .where('last_cursor', '>', from)
      .orderBy('last_cursor')
      .limit(count)
      .execute();
    for (const row of rows) {
      if (events.length >= limit || characters >= PAGE_CHARACTERS) return { events, hasMore: true };
      for (const event of JSON.parse(row.body) as LogEvent[]) {
        if (event.cursor > after) events.push(event);
      }
      from = row.last_cursor;
      characters += row.body.length;
    }
    if (rows.length < count) return { events, hasMore: false };
  }
}

type Batch = { batch: readonly LogEvent[]; body: string };

/** Nearly always all of them are one batch, which is made into JSON at once; what is too long is halved. */
function* inBatches(events: readonly LogEvent[]): Generator<Batch> {
  if (events.length === 0) return;
  const body = JSON.stringify(events);
  if (body.length <= ROW_CHARACTERS || events.length === 1) {
    yield { batch: events, body };
    return;
  }
  const half = events.length >> 1;
  yield* inBatches(events.slice(0, half));
  yield* inBatches(events.slice(half));
}
