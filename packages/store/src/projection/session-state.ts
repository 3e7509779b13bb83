import {
  type Entry,
  entryKeyOf,
  isFinal,
  type LogEvent,
  nextEntry,
  type TaskStatus,
} from '@baton/protocol';
import type { Db } from '../engine/engine.ts';
import { readEvents } from '../events/log-row.ts';
import type { RequestRow, SessionRow, TaskRow } from '../schema/tables.ts';
import { entryOf, sizeOf } from './entry-row.ts';

/** The part of a session's state, as of its head, that the next event may change. */
export type SessionState = {
  session: SessionRow;
  /** Tasks that have not ended. */
  tasks: Map<string, TaskRow>;
  /** Requests of those tasks that are not resolved. */
  requests: Map<string, RequestRow>;
  /** Entries that are still open, by their keys, with the size that was written last. */
  open: Map<string, { entry: Entry; written: number }>;
};

const EVENTS_AT_ONCE = 1000;

/** The key of a request; its id alone is only unique within a task. */
export function requestKey(taskId: string, requestId: string): string {
  return `${taskId} ${requestId}`;
}

/** Reads the state of a session from the tables, and from the log where the tables lag behind. */
export async function loadState(db: Db, session: SessionRow): Promise<SessionState> {
  const { session_id: id } = session;
  const tasks = await db
    .selectFrom('tasks')
    .selectAll()
    .where('session_id', '=', id)
    .where('completed_at', 'is', null)
    .execute();
  const requests = await db
    .selectFrom('requests')
    .selectAll()
    .where('session_id', '=', id)
    .where('status', '!=', 'resolved')
    .execute();
  return {
    session,
    tasks: new Map(
      tasks.filter(({ status }) => !isFinal(status as TaskStatus)).map((row) => [row.task_id, row]),
    ),
    requests: new Map(requests.map((row) => [requestKey(row.task_id, row.request_id), row])),
    open: await openEntries(db, id),
  };
}

/** The open entries of a session, as of the end of its log. */
async function openEntries(db: Db, sessionId: string): Promise<SessionState['open']> {
  const rows = await db
    .selectFrom('entries')
    .select(['body', 'through'])
    .where('session_id', '=', sessionId)
    .where('open', '=', 1)
    .orderBy('first_cursor')
    .execute();
  const written = rows.map(entryOf);
  const current = await caughtUp(db, sessionId, written);
  return new Map(
    current.map((entry, index) => [entry.key, { entry, written: sizeOf(written[index] ?? entry) }]),
  );
}

/** Applies the events in the log that are newer than the rows of open entries. */
export async function caughtUp(
  db: Db,
  sessionId: string,
  entries: readonly Entry[],
): Promise<Entry[]> {
  const open = new Map(entries.filter((entry) => entry.open).map((entry) => [entry.key, entry]));
  if (open.size === 0) return [...entries];
  const current = new Map(open);
  let after = Math.min(...[...open.values()].map(({ through }) => through));
  for (;;) {
    const { events, hasMore } = await readEvents(db, sessionId, after, EVENTS_AT_ONCE);
    for (const event of events) foldInto(current, event);
    if (!hasMore) break;
    after = events.at(-1)?.cursor ?? after;
  }
  return entries.map((entry) => (entry.open ? (current.get(entry.key) ?? entry) : entry));
}

/** Applies an event to the entry that it changes; entries that start later are ignored. */
function foldInto(entries: Map<string, Entry>, event: LogEvent): void {
  const key = entryKeyOf(event);
  const before = key === undefined ? undefined : entries.get(key);
  if (!before) return;
  const next = nextEntry(before, event);
  if (next?.cursor === before.cursor) entries.set(before.key, next);
}
