import type { Engine, Tx } from '../engine/engine.ts';
import { isArriving } from './import-session.ts';
import { projectLog } from './project-log.ts';

/** Progress of a rebuild. */
export type RebuildProgress = { sessionId: string; done: number; total: number };

/** Rebuilds every table that is derived from the log, session by session; reports the progress after each session. */
export async function rebuild(
  engine: Engine,
  tell?: (progress: RebuildProgress) => void,
): Promise<number> {
  const rows = await engine.db
    .selectFrom('log')
    .select('session_id')
    .distinct()
    .orderBy('session_id')
    .execute();
  const ids = rows.map(({ session_id }) => session_id).filter((id) => !isArriving(id));
  for (const [index, sessionId] of ids.entries()) {
    await engine.db.transaction().execute((tx) => rebuildSession(tx, sessionId));
    tell?.({ sessionId, done: index + 1, total: ids.length });
  }
  return ids.length;
}

async function rebuildSession(tx: Tx, sessionId: string): Promise<void> {
  for (const table of ['entries', 'requests', 'tasks', 'sessions'] as const) {
    await tx.deleteFrom(table).where('session_id', '=', sessionId).execute();
  }
  await projectLog(tx, sessionId);
}
