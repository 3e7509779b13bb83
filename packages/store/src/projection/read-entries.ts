import type { Entry } from '@baton/protocol';
import type { Db } from '../engine/engine.ts';
import { entryOf } from './entry-row.ts';
import { caughtUp } from './session-state.ts';

export type EntryQuery = {
  /** Entries that began before this cursor; the newest ones without it. */
  before?: number | undefined;
  taskId?: string | undefined;
  limit: number;
};

/** Reads entries as they are at the head of the session, the oldest first. */
export async function readEntries(
  db: Db,
  sessionId: string,
  { before, taskId, limit }: EntryQuery,
): Promise<Entry[]> {
  const rows = await db
    .selectFrom('entries')
    .select('body')
    .where('session_id', '=', sessionId)
    .$if(before !== undefined, (query) => query.where('first_cursor', '<', before ?? 0))
    .$if(taskId !== undefined, (query) => query.where('task_id', '=', taskId ?? ''))
    .orderBy('first_cursor', 'desc')
    .limit(limit)
    .execute();
  return caughtUp(db, sessionId, rows.map(entryOf).reverse());
}
