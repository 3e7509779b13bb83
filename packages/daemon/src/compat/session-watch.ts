import type { LogEvent } from '@baton/protocol';
import type { SessionMoved, Store } from '@baton/store';
import { sessionRecord } from '../records/record-of.ts';
import type { SeedEvent } from './seed-events.ts';

/** The first prompt names a session that has no title. */
const CHANGES: ReadonlySet<string> = new Set([
  'session.changed',
  'prompt.queued',
  'queue.paused',
  'queue.resumed',
]);

/** Whether an event changes what clients see of a session itself. */
export function changesSession({ type }: Pick<LogEvent, 'type'>): boolean {
  return CHANGES.has(type);
}

export type SessionWatchOptions = {
  /** Whether a session without followers has subscribers; sessions with followers are sent anyway. */
  isWanted(sessionId: string): boolean;
  tell(event: SeedEvent): void;
  onFailure(sessionId: string, error: unknown): void;
};

/** Tells that any session begins or changes. Of another daemon it hears when prompts are queued and tasks end. */
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
