import { BatonError, type LogEvent } from '@baton/protocol';
import type { Db, Engine, Tx } from '../engine/engine.ts';
import { type Draft, placed } from '../events/draft.ts';
import { insertEvents, type LogPage, readEvents } from '../events/log-row.ts';
import { Projector } from '../projection/projector.ts';
import type { SessionState } from '../projection/session-state.ts';
import type { SessionRow } from '../schema/tables.ts';
import { movedBy, type SessionMoved } from '../wake-ups.ts';
import { Committer } from './committer.ts';

/** Events to write, and the value to return to the caller once they are committed. */
export type Decision<Result> = { drafts: readonly Draft[]; result: Result };

/** Decides what to write while no one else can write to the session. Throws to write nothing. */
export type Decide<Result> = (
  state: SessionState,
  tx: Tx,
) => Decision<Result> | Promise<Decision<Result>>;

type SessionLogOptions = {
  now(): number;
  /** Called with events after they are committed. */
  onCommitted(moved: SessionMoved): void;
  /** Called with the duration of a commit in milliseconds. */
  onCommit?: ((milliseconds: number) => void) | undefined;
  /** Returns the message that other daemons receive with a commit. */
  announce(moved: SessionMoved): string;
};

/** The result of a decision, and the notification about its events. */
type Written<Result> = { result: Result; moved?: SessionMoved };

/** The log of every session: the only way to change one. */
export class SessionLog {
  #engine: Engine;
  #options: SessionLogOptions;
  #projector = new Projector();
  #committer: Committer<Tx>;

  constructor(engine: Engine, options: SessionLogOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#committer = new Committer({
      begin: (act) => this.#timed(act),
      onRollback: (keys) => {
        for (const key of keys) this.#projector.forget(key);
      },
    });
  }

  /** Begins a session. */
  async create(sessionId: string, drafts: readonly Draft[]): Promise<SessionRow> {
    const { result } = await this.#submit(sessionId, async (tx) => {
      const events = placed(drafts, 0, this.#options.now());
      const { session, moved } = await this.#write(tx, sessionId, undefined, events);
      return { result: session, moved };
    });
    return result;
  }

  /**
   * Appends the events decided under the lock of the session, and returns the decision's result once they are
   * committed.
   */
  async append<Result>(sessionId: string, decide: Decide<Result>): Promise<Result> {
    const { result } = await this.#submit(sessionId, (tx) => this.#append(tx, sessionId, decide));
    return result;
  }

  /**
   * The same in a separate transaction, which first finds its session without waiting for others. Undefined if there is
   * none.
   */
  async appendToFound<Result>(
    find: (tx: Tx) => Promise<string | undefined>,
    decide: Decide<Result>,
  ): Promise<Result | undefined> {
    let found: string | undefined;
    try {
      const written = await this.#engine.db.transaction().execute(async (tx) => {
        found = await find(tx);
        return found === undefined ? undefined : this.#append(tx, found, decide);
      });
      if (written?.moved) this.#options.onCommitted(written.moved);
      return written?.result;
    } catch (error) {
      if (found !== undefined) this.#projector.forget(found);
      throw error;
    }
  }

  /** Reads the events after a cursor. */
  read(sessionId: string, after: number, limit: number): Promise<LogPage> {
    return readEvents(this.#engine.db, sessionId, after, limit);
  }

  /** Settles when everything that was asked for is committed. */
  idle(): Promise<void> {
    return this.#committer.idle();
  }

  async #timed<Result>(act: (tx: Tx) => Promise<Result>): Promise<Result> {
    const begin = performance.now();
    const result = await this.#engine.db.transaction().execute(act);
    this.#options.onCommit?.(performance.now() - begin);
    return result;
  }

  async #submit<Result>(
    sessionId: string,
    act: (tx: Tx) => Promise<Written<Result>>,
  ): Promise<Written<Result>> {
    const written = await this.#committer.submit({ key: sessionId, act });
    if (written.moved) this.#options.onCommitted(written.moved);
    return written;
  }

  async #append<Result>(
    tx: Tx,
    sessionId: string,
    decide: Decide<Result>,
  ): Promise<Written<Result>> {
    const session = await lockSession(tx, this.#engine.kind, sessionId);
    if (!session) throw noSession(sessionId);
    const state = await this.#projector.state(tx, session);
    const { drafts, result } = await decide(state, tx);
    if (drafts.length === 0) return { result };
    const events = placed(drafts, session.head_cursor, this.#options.now());
    const { moved } = await this.#write(tx, sessionId, state, events);
    return { result, moved };
  }

  async #write(
    tx: Tx,
    sessionId: string,
    state: SessionState | undefined,
    events: readonly LogEvent[],
  ): Promise<{ session: SessionRow; moved: SessionMoved }> {
    const characters = await insertEvents(tx, sessionId, events, this.#options.now());
    const { session } = await this.#projector.project(tx, sessionId, state, events);
    for (const event of events) {
      if (event.type !== 'run.completed') continue;
      await tx.deleteFrom('leases').where('task_id', '=', event.taskId).execute();
    }
    const moved = movedBy(sessionId, events, characters);
    await this.#engine.notify(tx, this.#options.announce(moved));
    return { session, moved };
  }
}

/** The error for a session that is not there. */
export function noSession(sessionId: string): BatonError {
  return new BatonError('not_found', `Session "${sessionId}" not found.`);
}

/** Locks a session. SQLite has only one writer at a time anyway. */
async function lockSession(
  tx: Db,
  kind: Engine['kind'],
  sessionId: string,
): Promise<SessionRow | undefined> {
  return tx
    .selectFrom('sessions')
    .selectAll()
    .where('session_id', '=', sessionId)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
}
