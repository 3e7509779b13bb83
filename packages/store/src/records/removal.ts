import type { Db, Engine, Tx } from '../engine/engine.ts';

/** Number of sessions read at once. */
const AT_ONCE = 100;

/** Everything that belongs to a session and names it. */
const OF_SESSION = [
  'log',
  'entries',
  'requests',
  'attachments',
  'reported_changes',
  'review_comments',
  'rules',
  'leases',
  'executors',
  'tasks',
  'sessions',
] as const;

/** Deletes data that is no longer needed. */
export class Removal {
  #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Removes archived sessions without activity since the given time, with all rows that belong to them. */
  async archivedBefore(time: number): Promise<number> {
    let removed = 0;
    for (let after = ''; ; ) {
      const sessions = await this.#archived(time, after);
      for (const { session_id: id } of sessions) {
        if (await this.#session(id, time)) removed += 1;
      }
      const last = sessions.at(-1);
      if (!last || sessions.length < AT_ONCE) return removed;
      after = last.session_id;
    }
  }

  /** Removes executors that have ended before a time. */
  async executorsBefore(time: number): Promise<number> {
    const { numDeletedRows } = await this.#engine.db
      .deleteFrom('executors')
      .where('ended_at', '<', time)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  /** Removes tokens that expired or were revoked before the given time. */
  async tokensBefore(time: number): Promise<number> {
    const { numDeletedRows } = await this.#engine.db
      .deleteFrom('tokens')
      .where(({ or, eb }) => or([eb('expires_at', '<', time), eb('revoked_at', '<', time)]))
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  /** Removes daemons whose last heartbeat is older than the given time. */
  async daemonsBefore(time: number): Promise<number> {
    const { numDeletedRows } = await this.#engine.db
      .deleteFrom('daemons')
      .where('heartbeat_at', '<', time)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  #archived(time: number, after: string) {
    return removable(this.#engine.db, time)
      .where('session_id', '>', after)
      .orderBy('session_id')
      .limit(AT_ONCE)
      .execute();
  }

  /** Checks again under the lock of the session: it may have been unarchived. */
  #session(sessionId: string, time: number): Promise<boolean> {
    const { db, kind } = this.#engine;
    return db.transaction().execute(async (tx) => {
      const session = await removable(tx, time)
        .where('session_id', '=', sessionId)
        .$if(kind === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst();
      if (!session) return false;
      await removeSession(tx, sessionId);
      return true;
    });
  }
}

/** Archived sessions without news since a time, and without a task that has not ended. */
function removable(db: Db, time: number) {
  return db
    .selectFrom('sessions')
    .select('session_id')
    .where('archived', '=', 1)
    .where('updated_at', '<', time)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('tasks')
            .select('task_id')
            .whereRef('tasks.session_id', '=', 'sessions.session_id')
            .where('completed_at', 'is', null),
        ),
      ),
    );
}

async function removeSession(tx: Tx, sessionId: string): Promise<void> {
  await tx
    .deleteFrom('raw_output')
    .where('task_id', 'in', (query) =>
      query.selectFrom('tasks').select('task_id').where('session_id', '=', sessionId),
    )
    .execute();
  for (const table of OF_SESSION) {
    await tx.deleteFrom(table).where('session_id', '=', sessionId).execute();
  }
}
