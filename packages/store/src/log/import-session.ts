import { isDeepStrictEqual } from 'node:util';
import { BatonError, type LogEvent } from '@baton/protocol';
import type { Db, Engine, Tx } from '../engine/engine.ts';
import { placed } from '../events/draft.ts';
import { insertEvents, readEvents } from '../events/log-row.ts';
import type { SessionState } from '../projection/session-state.ts';
import type { SessionRow } from '../schema/tables.ts';
import type { SessionMoved } from '../wake-ups.ts';
import { type Ending, endingOf } from './end-task.ts';
import { projectLog } from './project-log.ts';

/**
 * Prefix of the session id of a partial import. Until it is complete, the session is invisible and none of its tasks
 * run.
 */
const ARRIVING = 'importing ';

export type ImportOptions = {
  now(): number;
  announce(moved: SessionMoved): string;
  /** Told of a session that is here now. */
  onImported(moved: SessionMoved): void;
};

/** Takes sessions over from elsewhere, event by event as they were. */
export class SessionImport {
  #engine: Engine;
  #options: ImportOptions;

  constructor(engine: Engine, options: ImportOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /**
   * Stores a part of a session's log and returns the last stored cursor. Skips events that are already stored; a part
   * that starts at the beginning restarts the import.
   */
  async take(sessionId: string, events: readonly LogEvent[]): Promise<{ cursor: number }> {
    checkOrder(events);
    return this.#engine.db.transaction().execute(async (tx) => {
      const existing = await sessionRow(tx, sessionId);
      if (existing) return { cursor: await checkSame(tx, existing, events) };
      const name = ARRIVING + sessionId;
      if (events[0]?.cursor === 1) {
        await tx.deleteFrom('log').where('session_id', '=', name).execute();
      }
      const head = await headOf(tx, name);
      const fresh = events.filter(({ cursor }) => cursor > head);
      if (fresh[0] !== undefined && fresh[0].cursor !== head + 1) {
        throw new BatonError(
          'conflict',
          `Event ${head + 1} is missing: the session is only partly imported.`,
          { hint: 'Import the file again from its beginning.' },
        );
      }
      await insertEvents(tx, name, fresh, this.#options.now());
      return { cursor: head + fresh.length };
    });
  }

  /** Completes the import of a session; its unfinished tasks end with the given ending. */
  async finish(
    sessionId: string,
    ending: Ending,
  ): Promise<{ session: SessionRow; endedTasks: number; isNew: boolean }> {
    const finished = await this.#engine.db.transaction().execute(async (tx) => {
      const existing = await sessionRow(tx, sessionId);
      if (existing) return { session: existing, endedTasks: 0, isNew: false };
      return this.#make(tx, sessionId, ending);
    });
    const { session, isNew } = finished;
    if (isNew) this.#options.onImported(imported(session));
    return finished;
  }

  /** Removes partial imports that have received nothing since the given time, and returns their number. */
  async removeBefore(time: number): Promise<number> {
    const { db, kind } = this.#engine;
    const left = await db
      .selectFrom('log')
      .select('session_id')
      .where('session_id', 'like', `${ARRIVING}%`)
      // SQLite finds the names in its index by this; in PostgreSQL their order depends on the language.
      .$if(kind === 'sqlite', (query) =>
        query.where('session_id', '>', ARRIVING).where('session_id', '<', `${ARRIVING}\uffff`),
      )
      .groupBy('session_id')
      .having(({ fn }) => fn.max('at'), '<', time)
      .execute();
    for (const { session_id } of left) {
      await db.deleteFrom('log').where('session_id', '=', session_id).execute();
    }
    return left.length;
  }

  async #make(tx: Tx, sessionId: string, ending: Ending) {
    const { numUpdatedRows } = await tx
      .updateTable('log')
      .set({ session_id: sessionId })
      .where('session_id', '=', ARRIVING + sessionId)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new BatonError('usage', 'No events to import.');
    const { projector, state: arrived } = await projectLog(tx, sessionId, (events) =>
      checkTasks(tx, sessionId, events),
    );
    let state: SessionState = arrived;
    const open = [...state.tasks.keys()];
    for (const taskId of open) {
      const task = state.tasks.get(taskId);
      if (!task) continue;
      const now = this.#options.now();
      const drafts = endingOf(state, task, ending, now);
      const events = placed(drafts, state.session.head_cursor, now);
      await insertEvents(tx, sessionId, events, now);
      state = await projector.project(tx, sessionId, state, events);
    }
    const { session } = state;
    await this.#engine.notify(tx, this.#options.announce(imported(session)));
    return { session, endedTasks: open.length, isNew: true };
  }
}

/** True if the log rows of this session id belong to a partial import. */
export function isArriving(sessionId: string): boolean {
  return sessionId.startsWith(ARRIVING);
}

/** No task of an imported session can start. */
function imported({ session_id: sessionId, head_cursor: cursor }: SessionRow): SessionMoved {
  return { sessionId, cursor, mayStart: false };
}

function checkOrder(events: readonly LogEvent[]): void {
  const first = events[0]?.cursor ?? 1;
  events.forEach(({ cursor, type }, index) => {
    if (cursor !== first + index) {
      throw new BatonError('usage', `Expected event ${first + index}, got ${cursor}.`);
    }
    if ((type === 'session.created') !== (cursor === 1)) {
      throw new BatonError('usage', `The first event of a session, and no other, must create it.`);
    }
  });
}

/** Checks that a session that already exists has the same history; then there is nothing to import. */
async function checkSame(
  db: Db,
  { session_id, head_cursor }: SessionRow,
  events: readonly LogEvent[],
): Promise<number> {
  if (await isInLog(db, session_id, events)) return head_cursor;
  throw new BatonError(
    'conflict',
    `Session "${session_id}" already exists with different events.`,
    { hint: 'Export it from the daemon that has the current version.' },
  );
}

/** Long events come in pages of few. */
async function isInLog(db: Db, sessionId: string, events: readonly LogEvent[]): Promise<boolean> {
  for (let known = 0; known < events.length; ) {
    const after = (events[known]?.cursor ?? 1) - 1;
    const here = (await readEvents(db, sessionId, after, events.length - known)).events;
    const given = events.slice(known, known + here.length);
    const isSame = given.every((event, index) => isDeepStrictEqual(event, here[index]));
    if (here.length === 0 || !isSame) return false;
    known += here.length;
  }
  return true;
}

/** Rejects an import that would overwrite tasks of other sessions. */
async function checkTasks(db: Db, sessionId: string, events: readonly LogEvent[]): Promise<void> {
  const ids = new Set(
    events.flatMap((event) => ('taskId' in event && event.taskId ? [event.taskId] : [])),
  );
  if (ids.size === 0) return;
  const taken = await db
    .selectFrom('tasks')
    .select(['task_id', 'session_id'])
    .where('task_id', 'in', [...ids])
    .where('session_id', '!=', sessionId)
    .executeTakeFirst();
  if (!taken) return;
  throw new BatonError(
    'conflict',
    `Task "${taken.task_id}" belongs to session "${taken.session_id}".`,
  );
}

async function headOf(db: Db, sessionId: string): Promise<number> {
  const { head } = await db
    .selectFrom('log')
    .select(({ fn }) => fn.max('last_cursor').as('head'))
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow();
  return Number(head ?? 0);
}

function sessionRow(db: Db, sessionId: string): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
}
