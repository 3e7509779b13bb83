import { EventEmitter } from 'node:events';
import type { LogEvent } from '@baton/protocol';

/** Says that a session has reached a cursor; the events are there when this daemon wrote them itself. */
export type SessionMoved = {
  sessionId: string;
  cursor: number;
  events?: readonly LogEvent[];
  /** How many they have as JSON. */
  characters?: number;
  /** Whether a prompt may have got its turn; most events let nothing start. */
  mayStart: boolean;
};

type Announcement = [origin: string, sessionId: string, cursor: number, mayStart?: boolean];

type Wakes = {
  /** A session has new events. */
  session: [SessionMoved];
  /** Something may have been missed: look again at everything. */
  all: [];
};

const STARTS: ReadonlySet<LogEvent['type']> = new Set([
  'prompt.queued',
  'run.completed',
  'queue.resumed',
  'task.requeued',
  // A task that needs input leaves its slot to another one.
  'permission.requested',
  'question.requested',
] as const);

/** Whether a prompt may get its turn by an event. */
export function mayStartTask({ type }: Pick<LogEvent, 'type'>): boolean {
  return STARTS.has(type);
}

/** What some events of a session mean to who waits. */
export function movedBy(
  sessionId: string,
  events: readonly LogEvent[],
  characters: number,
): SessionMoved {
  const cursor = events.at(-1)?.cursor ?? 0;
  const mayStart = events.some(mayStartTask);
  return { sessionId, cursor, events, characters, mayStart };
}

/** Tells who waits that there is something new. */
export class WakeUps extends EventEmitter<Wakes> {
  #origin: string;

  constructor(origin: string) {
    super();
    this.setMaxListeners(0);
    this.#origin = origin;
  }

  /** What other daemons are told. */
  announcement({ sessionId, cursor, mayStart }: SessionMoved): string {
    return JSON.stringify([this.#origin, sessionId, cursor, mayStart]);
  }

  /** Takes what another daemon told; one's own words come back too, and an empty message means that some got lost. */
  hear(message: string): void {
    if (message === '') {
      this.emit('all');
      return;
    }
    // Daemons of the first version do not say whether something may start.
    const [origin, sessionId, cursor, mayStart = true] = JSON.parse(message) as Announcement;
    if (origin !== this.#origin) this.emit('session', { sessionId, cursor, mayStart });
  }
}
