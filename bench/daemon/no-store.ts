import type { LogEvent } from '@baton/protocol';
import {
  type Decide,
  type LeaseRow,
  type SessionRow,
  type Store,
  type TaskRow,
  type TokenRow,
  type UserRow,
  WakeUps,
} from '@baton/store';

/** Events that a slow follower may still ask for. */
const KEPT_EVENTS = 100_000;
/** About so long is one of the events that benchmarks send. */
const EVENT_CHARACTERS = 200;

/** A store that keeps nothing but the last events of one running task, in memory. */
export function noStore(sessionId: string, taskId: string, fence: number): Store {
  const wakeUps = new WakeUps('here');
  const session = { session_id: sessionId, head_cursor: 0 } as SessionRow;
  const lease = { task_id: taskId, session_id: sessionId, fence } as LeaseRow;
  let task = { task_id: taskId, status: 'RUNNING', last_seq: 0, run_id: null } as TaskRow;
  let kept: LogEvent[] = [];

  const log = {
    async append<Result>(_sessionId: string, decide: Decide<Result>): Promise<Result> {
      const state = { session, tasks: new Map([[taskId, task]]) };
      const { drafts, result } = await decide(state as never, onlyGives(lease) as never);
      const events = drafts.map(
        (draft) => ({ ...draft, cursor: ++session.head_cursor }) as LogEvent,
      );
      const last = events.at(-1);
      if (last && 'seq' in last) task = { ...task, last_seq: last.seq, run_id: last.runId };
      kept.push(...events);
      if (kept.length > 2 * KEPT_EVENTS) kept = kept.slice(-KEPT_EVENTS);
      const characters = EVENT_CHARACTERS * events.length;
      const { head_cursor: cursor } = session;
      wakeUps.emit('session', { sessionId, cursor, events, characters, mayStart: false });
      return result;
    },
    async read(_sessionId: string, after: number, limit: number) {
      const start = after + 1 - (kept[0]?.cursor ?? 1);
      if (start < 0) throw new Error('The follower is too slow for what is kept.');
      return { events: kept.slice(start, start + limit), hasMore: start + limit < kept.length };
    },
  };
  const records = {
    sessions: { get: async () => session },
    users: rows<UserRow>('user_id'),
    tokens: rows<TokenRow>('hash'),
  };
  const leases = { get: async () => lease };
  return { now: Date.now, wakeUps, log, records, leases } as unknown as Store;
}

/** A transaction whose every query gives the same row. */
function onlyGives(row: object): object {
  const query: object = {
    selectFrom: () => query,
    select: () => query,
    where: () => query,
    executeTakeFirst: async () => row,
  };
  return query;
}

/** A table in memory, with rows that are found by one column. */
function rows<Row extends object>(column: keyof Row & string) {
  const all = new Map<unknown, Row>();
  return {
    get: async (key: string) => all.get(key),
    find: async ({ where }: { where: Partial<Row> }) => [all.get(where[column])],
    async insert(row: Row) {
      all.set(row[column], row);
      return row;
    },
    update: async () => 1,
  };
}
