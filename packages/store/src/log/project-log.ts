import type { LogEvent } from '@baton/protocol';
import type { Tx } from '../engine/engine.ts';
import { readEvents } from '../events/log-row.ts';
import { Projector } from '../projection/projector.ts';
import type { SessionState } from '../projection/session-state.ts';
import { noSession } from './session-log.ts';

const EVENTS_AT_ONCE = 1000;

/** Folds the whole log of a session into tables that have nothing of it; each piece is looked at first. */
export async function projectLog(
  tx: Tx,
  sessionId: string,
  look?: (events: readonly LogEvent[]) => Promise<void>,
): Promise<{ projector: Projector; state: SessionState }> {
  const projector = new Projector();
  let state: SessionState | undefined;
  for (let after = 0; ; ) {
    const { events, hasMore } = await readEvents(tx, sessionId, after, EVENTS_AT_ONCE);
    await look?.(events);
    if (events.length > 0) state = await projector.project(tx, sessionId, state, events);
    if (!hasMore) break;
    after = events.at(-1)?.cursor ?? after;
  }
  if (!state) throw noSession(sessionId);
  return { projector, state };
}
