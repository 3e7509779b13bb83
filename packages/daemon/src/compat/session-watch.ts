import type { LogEvent } from '@baton/protocol';
import type { SessionMoved, Store } from '@baton/store';
import { sessionRecord } from '../records/record-of.ts';
import type { SeedEvent } from './seed-events.ts';

/** Events that change a session itself. A prompt is one of them because the first prompt names an untitled session. */
const CHANGES: ReadonlySet<string> = new Set([
  'session.changed',
  'prompt.queued',
  'queue.paused',
  'queue.resumed',
]);

/** True if an event changes the record of a session. */
export function changesSession({ type }: Pick<LogEvent, 'type'>): boolean {
  return CHANGES.has(type);
}

type SessionWatchOptions = {
  /** True if a session without followers has subscribers; events of sessions with followers are sent anyway. */
  isWanted(sessionId: string): boolean;
  tell(event: SeedEvent): void;
  onFailure(sessionId: string, error: unknown): void;
};

/**
 * Emits an event when a session is created or changes. From other daemons it only sees queued prompts and task ends.
 */
export function watchSessions(
  store: Store,
  { isWanted, tell, onFailure }: SessionWatchOptions,
): void {
  const tellOf = async (sessionId: string, name: string): Promise<void> => {
    const session = await store.records.sessions.get(sessionId);
    if (session) tell({ service: 'sessions', name, data: sessionRecord(session) });
  };
  store.wakeUps.on('session', (moved) => {
    const { sessionId } = moved;
    const name = changeOf(moved);
    if (!name || !isWanted(sessionId)) return;
    tellOf(sessionId, name).catch((error) => onFailure(sessionId, error));
  });
}

function changeOf({ cursor, events, mayStart }: SessionMoved): string | undefined {
  const [first] = events ?? [];
  const isNew = first ? first.type === 'session.created' : cursor === 1;
  if (isNew) return 'created';
  return (events ? events.some(changesSession) : mayStart) ? 'patched' : undefined;
}
