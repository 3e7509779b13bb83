import { type Entry, promptEntryKey } from '@baton/protocol';
import { sql } from 'kysely';
import type { Db, Engine } from '../engine/engine.ts';
import { entryOf } from './entry-row.ts';
import { caughtUp } from './session-state.ts';

export type EntryQuery = {
  /** Entries that began before this cursor; the newest ones without it. */
  before?: number | undefined;
  taskId?: string | undefined;
  /** Only requests that wait for an answer. */
  isAsking?: boolean | undefined;
  limit: number;
  /** Maximum number of characters of all entries together; at least one entry is returned. */
  maxCharacters?: number | undefined;
};

/** Reads entries as they are at the head of the session, the oldest first. */
export async function readEntries(
  db: Db,
  sessionId: string,
  { before, taskId, isAsking = false, limit, maxCharacters }: EntryQuery,
): Promise<Entry[]> {
  const chosen = db
    .selectFrom('entries')
    .where('session_id', '=', sessionId)
    .$if(before !== undefined, (query) => query.where('first_cursor', '<', before ?? 0))
    .$if(taskId !== undefined, (query) => query.where('task_id', '=', taskId ?? ''))
    .$if(isAsking, (query) =>
      query.where('open', '=', 1).where('kind', 'in', ['permission', 'question']),
    )
    .orderBy('first_cursor', 'desc');
  const fitting =
    maxCharacters === undefined
      ? limit
      : fittingRows(
          await chosen.select(sql<number>`length(body)`.as('characters')).limit(limit).execute(),
          maxCharacters,
        );
  const rows = await chosen.select('body').limit(fitting).execute();
  return caughtUp(db, sessionId, rows.map(entryOf).reverse());
}

/** Returns how many of the rows fit into a number of characters; at least one. */
function fittingRows(rows: readonly { characters: number }[], most: number): number {
  let left = most;
  const fitting = rows.findIndex(({ characters }) => {
    left -= Number(characters);
    return left < 0;
  });
  return Math.max(1, fitting === -1 ? rows.length : fitting);
}

/** Reads the entries before a cursor that later events may still change, the oldest first. */
export async function readChangingEntries(
  db: Db,
  sessionId: string,
  before: number,
): Promise<Entry[]> {
  const unfinished = db
    .selectFrom('tasks')
    .select('task_id')
    .where('session_id', '=', sessionId)
    .where('completed_at', 'is', null);
  const rows = await db
    .selectFrom('entries')
    .select('body')
    .where('session_id', '=', sessionId)
    .where('first_cursor', '<', before)
    .where(({ and, eb, or }) =>
      or([
        eb('open', '=', 1),
        // They are never open, but still change.
        and([eb('kind', 'in', ['prompt', 'plan']), eb('task_id', 'in', unfinished)]),
      ]),
    )
    .orderBy('first_cursor')
    .execute();
  return caughtUp(db, sessionId, rows.map(entryOf));
}

/** Reads the prompts of some tasks that were given before a cursor, the oldest first. */
export async function readEarlierPrompts(
  db: Db,
  sessionId: string,
  taskIds: readonly string[],
  before: number,
): Promise<Entry[]> {
  if (taskIds.length === 0) return [];
  const rows = await db
    .selectFrom('entries')
    .select('body')
    .where('session_id', '=', sessionId)
    .where('entry_key', 'in', taskIds.map(promptEntryKey))
    .where('first_cursor', '<', before)
    .orderBy('first_cursor')
    .execute();
  return caughtUp(db, sessionId, rows.map(entryOf));
}

const CLAIMS_AT_ONCE = 100;

/** Reads the entries that may contain file changes, oldest first, a few at a time. */
export async function* readFileEntries(
  { db, kind }: Engine,
  sessionId: string,
): AsyncGenerator<Entry> {
  const place = sql.raw(kind === 'postgres' ? 'strpos' : 'instr');
  let after = 0;
  for (;;) {
    const rows = await db
      .selectFrom('entries')
      .select(['first_cursor', 'body'])
      .where('session_id', '=', sessionId)
      .where('kind', 'in', ['tool', 'file'])
      .where('open', '=', 0)
      .where('first_cursor', '>', after)
      // Most tools change no file, and what they print can be long: their bodies stay in the database.
      .where(sql<boolean>`(kind = 'file' or ${place}(body, '"type":"file.edit"') > 0)`)
      .orderBy('first_cursor')
      .limit(CLAIMS_AT_ONCE)
      .execute();
    yield* rows.map(entryOf);
    if (rows.length < CLAIMS_AT_ONCE) return;
    after = rows.at(-1)?.first_cursor ?? after;
  }
}

/** Returns the tasks of a session whose agents used tools other than edits, reads and searches: those may change any file. */
export async function readActiveTasks(
  { db, kind }: Engine,
  sessionId: string,
): Promise<ReadonlySet<string>> {
  const place = sql.raw(kind === 'postgres' ? 'strpos' : 'instr');
  const types = ['command', 'subagent', 'mcp', 'other'];
  const isActive = sql.join(
    types.map((type) => sql`${place}(body, ${`"type":"${type}"`}) > 0`),
    sql` or `,
  );
  const rows = await db
    .selectFrom('entries')
    .select('task_id')
    .distinct()
    .where('session_id', '=', sessionId)
    .where('kind', '=', 'tool')
    .where(sql<boolean>`(${isActive})`)
    .execute();
  return new Set(rows.flatMap(({ task_id }) => task_id ?? []));
}
