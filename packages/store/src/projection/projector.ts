import {
  type Entry,
  entryKeyOf,
  isBeginning,
  isFinal,
  type LogEvent,
  nextEntry,
  type TaskStatus,
} from '@baton/protocol';
import type { Db, Tx } from '../engine/engine.ts';
import type { EntryRow, RequestRow, SessionRow, TaskRow } from '../schema/tables.ts';
import { entryOf, entryRow, sizeOf } from './entry-row.ts';
import { nextRequest } from './next-request.ts';
import { nextSession } from './next-session.ts';
import { nextTask } from './next-task.ts';
import { loadState, requestKey, type SessionState } from './session-state.ts';
import {
  type Change,
  writeEntries,
  writeRequests,
  writeSession,
  writeTasks,
} from './write-rows.ts';

/** Maximum number of cached sessions. */
const MOST_SESSIONS = 1000;
/**
 * An open entry is rewritten once it has grown by half plus `LEAST_GROWTH`, which keeps the total amount written
 * linear.
 */
const GROWTH = 1.5;
const LEAST_GROWTH = 1000;

type Changes = {
  tasks: Map<string, Change<TaskRow>>;
  requests: Map<string, RequestRow>;
  /** By the cursors they begin at. */
  entries: Map<number, Entry>;
  /** The last entry of each key that these events have touched. */
  last: Map<string, Entry>;
};

/** Keeps the tables that are derived from the log in step with it. */
export class Projector {
  #states = new Map<string, SessionState>();

  /**
   * Returns the state of a session whose row is locked; the cached state is valid only if no other process has written.
   */
  async state(db: Db, session: SessionRow): Promise<SessionState> {
    const known = this.#states.get(session.session_id);
    if (known?.session.head_cursor === session.head_cursor) return known;
    const state = await loadState(db, session);
    this.#remember(state);
    return state;
  }

  /** Drops the cached state of a session whose changes were rolled back. */
  forget(sessionId: string): void {
    this.#states.delete(sessionId);
  }

  /** Folds events into the tables, in the transaction that writes them into the log. */
  async project(
    tx: Tx,
    sessionId: string,
    before: SessionState | undefined,
    events: readonly LogEvent[],
  ): Promise<SessionState> {
    const changes: Changes = {
      tasks: new Map(),
      requests: new Map(),
      entries: new Map(),
      last: new Map(),
    };
    const tasks = before?.tasks ?? new Map<string, TaskRow>();
    const session = nextSession(sessionId, before?.session, events, tasks);
    if (!session)
      throw new Error(`The log of ${sessionId} does not start with a session.created event.`);
    const state: SessionState = {
      ...(before ?? { tasks, requests: new Map(), open: new Map() }),
      session,
    };
    for (const event of events) {
      foldTask(state, event, changes);
      foldRequest(state, event, changes);
      const key = entryKeyOf(event);
      if (key === undefined) continue;
      const last =
        changes.last.get(key) ??
        state.open.get(key)?.entry ??
        // A closed entry is only looked for when the event does not begin one.
        (isBeginning(event) ? undefined : await lastEntry(tx, sessionId, key));
      foldEntry(state, key, last, event, changes);
    }
    await writeSession(tx, { before: before?.session, row: session });
    await writeTasks(tx, changes.tasks.values());
    await writeRequests(tx, [...changes.requests.values()]);
    await writeEntries(tx, dueRows(state, changes.entries.values()));
    this.#remember(state);
    return state;
  }

  #remember(state: SessionState): void {
    const { session_id: id } = state.session;
    this.#states.delete(id);
    this.#states.set(id, state);
    if (this.#states.size <= MOST_SESSIONS) return;
    const [oldest] = this.#states.keys();
    if (oldest !== undefined) this.#states.delete(oldest);
  }
}

function foldTask(state: SessionState, event: LogEvent, changes: Changes): void {
  if (!('taskId' in event) || event.taskId === undefined) return;
  const { taskId } = event;
  const before = state.tasks.get(taskId);
  const next = nextTask(state.session.session_id, before, event);
  if (!next || next === before) return;
  changes.tasks.set(taskId, {
    before: (changes.tasks.get(taskId) ?? { before }).before,
    row: next,
  });
  if (isFinal(next.status as TaskStatus)) state.tasks.delete(taskId);
  else state.tasks.set(taskId, next);
}

function foldRequest(state: SessionState, event: LogEvent, changes: Changes): void {
  if (!('requestId' in event) || !('taskId' in event)) return;
  const key = requestKey(event.taskId ?? '', String(event.requestId));
  const before = state.requests.get(key);
  const next = nextRequest(state.session.session_id, before, event);
  if (!next || next === before) return;
  changes.requests.set(key, next);
  if (next.status === 'resolved') state.requests.delete(key);
  else state.requests.set(key, next);
}

function foldEntry(
  state: SessionState,
  key: string,
  last: Entry | undefined,
  event: LogEvent,
  changes: Changes,
): void {
  const next = nextEntry(last, event);
  if (!next || next === last) return;
  changes.entries.set(next.cursor, next);
  changes.last.set(key, next);
  const open = state.open.get(key);
  const isSame = open !== undefined && open.entry.cursor === next.cursor;
  if (next.open) state.open.set(key, { entry: next, written: isSame ? open.written : -1 });
  else state.open.delete(key);
}

async function lastEntry(tx: Tx, sessionId: string, key: string): Promise<Entry | undefined> {
  const row = await tx
    .selectFrom('entries')
    .select('body')
    .where('entry_key', '=', key)
    .where('session_id', '=', sessionId)
    .orderBy('first_cursor', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && entryOf(row);
}

/** Returns the rows to write now; the log contains the rest of an open entry, after the cursor where its row ends. */
function dueRows(state: SessionState, entries: Iterable<Entry>): EntryRow[] {
  const due: Entry[] = [];
  for (const entry of entries) {
    const open = entry.open ? state.open.get(entry.key) : undefined;
    const size = sizeOf(entry);
    const isDue = !open || open.written === -1 || size >= GROWTH * open.written + LEAST_GROWTH;
    if (!isDue) continue;
    if (open) open.written = size;
    due.push(entry);
  }
  return due.map((entry) => entryRow(state.session.session_id, entry));
}
