import { EventEmitter } from 'node:events';
import type { LogEvent } from '@baton/protocol';

/** Notification that a session has reached a cursor; contains the events if this daemon wrote them itself. */
export type SessionMoved = {
  sessionId: string;
  cursor: number;
  events?: readonly LogEvent[];
  /** Length of the events as JSON. */
  characters?: number;
  /** True if a task may be ready to start now; most events start nothing. */
  mayStart: boolean;
};

/** Notification that a chain run has reached the event with this number. */
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

/** True if a task may become ready to start after an event of this type. */
export function mayStartTask({ type }: Pick<LogEvent, 'type'>): boolean {
  return STARTS.has(type);
}

/** Returns the notification for new events of a session. */
export function movedBy(
  sessionId: string,
  events: readonly LogEvent[],
  characters: number,
): SessionMoved {
  const cursor = events.at(-1)?.cursor ?? 0;
  const mayStart = events.some(mayStartTask);
  return { sessionId, cursor, events, characters, mayStart };
}

/** Emits notifications about new events of sessions and chain runs. */
export class WakeUps extends EventEmitter<Wakes> {
  #origin: string;

  constructor(origin: string) {
    super();
    this.setMaxListeners(0);
    this.#origin = origin;
  }

  /** Returns the message for other daemons about a session. */
  announcement({ sessionId, cursor, mayStart }: SessionMoved): string {
    return JSON.stringify([this.#origin, sessionId, cursor, mayStart]);
  }

  /** Returns the message for other daemons about a chain run. */
  chainAnnouncement({ runId, seq }: ChainMoved): string {
    return JSON.stringify([this.#origin, runId, seq, CHAIN]);
  }

  /**
   * Handles a message of another daemon. Ignores this daemon's own messages; an empty message means that some were
   * lost.
   */
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
