import type { Engine, Tx } from '../engine/engine.ts';
import { readEvents } from '../log/log-row.ts';
import { Projector } from './projector.ts';
import type { SessionState } from './session-state.ts';

const EVENTS_AT_ONCE = 1000;

/** Makes every table that is derived from the log anew, session by session; tells of each one. */
export async function rebuild(engine: Engine, tell?: (sessionId: string) => void): Promise<number> {
  const sessions = await engine.db
    .selectFrom('log')
    .select('session_id')
    .distinct()
    .orderBy('session_id')
    .execute();
  for (const { session_id: id } of sessions) {
    await engine.db.transaction().execute((tx) => rebuildSession(tx, id));
    tell?.(id);
  }
  return sessions.length;
}

async function rebuildSession(tx: Tx, sessionId: string): Promise<void> {
  for (const table of ['entries', 'requests', 'tasks', 'sessions'] as const) {
    await tx.deleteFrom(table).where('session_id', '=', sessionId).execute();
  }
  const projector = new Projector();
  let state: SessionState | undefined;
  for (let after = 0; ; ) {
    const { events, hasMore } = await readEvents(tx, sessionId, after, EVENTS_AT_ONCE);
    if (events.length > 0) state = await projector.project(tx, sessionId, state, events);
    if (!hasMore) return;
    after = events.at(-1)?.cursor ?? after;
  }
}
