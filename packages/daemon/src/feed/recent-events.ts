import type { LogEvent } from '@baton/protocol';

const MOST_SESSIONS = 200;
const MOST_EVENTS = 2000;

/** The last events of the sessions that move, so that whoever follows closely needs no database. */
export class RecentEvents {
  #sessions = new Map<string, LogEvent[]>();

  /** Takes new events of a session, which follow on those it has. */
  add(sessionId: string, events: readonly LogEvent[]): void {
    const known = this.#sessions.get(sessionId) ?? [];
    const follows = known.at(-1)?.cursor === (events[0]?.cursor ?? 0) - 1;
    const all = follows ? known.concat(events) : [...events];
    this.#sessions.delete(sessionId);
    // Cut seldom and by much: what is cut off has to be copied.
    this.#sessions.set(sessionId, all.length > 2 * MOST_EVENTS ? all.slice(-MOST_EVENTS) : all);
    if (this.#sessions.size <= MOST_SESSIONS) return;
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined) this.#sessions.delete(oldest);
  }

  /** Somebody else has written to the session. */
  forget(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  forgetAll(): void {
    this.#sessions.clear();
  }

  /** The events behind a cursor; nothing when they do not reach back that far. */
  after(sessionId: string, cursor: number, limit: number): LogEvent[] | undefined {
    const events = this.#sessions.get(sessionId);
    const first = events?.[0]?.cursor;
    if (!events || first === undefined || first > cursor + 1) return undefined;
    const start = cursor + 1 - first;
    return events.slice(start, start + limit);
  }
}
