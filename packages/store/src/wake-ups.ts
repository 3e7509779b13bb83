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

/** Says that a chain run has reached the event with this number. */
export type ChainMoved = { runId: string; seq: number };

/** The last part is `chain` for a chain run; daemons of earlier versions take that for a session they do not know. */
type Announcement = [
  origin: string,
  id: string,
  cursor: number,
  what?: boolean | typeof CHAIN | undefined,
];
const CHAIN = 'chain';

type Wakes = {
  /** A session has new events. */
  session: [SessionMoved];
  /** A chain run has new events. */
  chain: [ChainMoved];
  /** Something may have been missed: look again at everything. */
  all: [];
};

const STARTS: ReadonlySet<LogEvent['type']> = new Set([
  'prompt.queued',
  'run.completed',
  'queue.resumed',
  'task.requeued',
  'task.resumed',
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

  /** What other daemons are told about a chain run. */
  chainAnnouncement({ runId, seq }: ChainMoved): string {
    return JSON.stringify([this.#origin, runId, seq, CHAIN]);
  }

  /** Takes what another daemon told; one's own words come back too, and an empty message means that some got lost. */
  hear(message: string): void {
    if (message === '') {
      this.emit('all');
      return;
    }
    // Daemons of the first version do not say whether something may start.
    const [origin, id, cursor, what = true] = JSON.parse(message) as Announcement;
    if (origin === this.#origin) return;
    if (what === CHAIN) this.emit('chain', { runId: id, seq: cursor });
    else this.emit('session', { sessionId: id, cursor, mayStart: what });
  }
}
