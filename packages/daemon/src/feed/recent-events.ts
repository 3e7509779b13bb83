import type { LogEvent } from '@baton/protocol';

/** The maximum number of JSON characters cached for one session, and for all. */
const MOST_OF_ONE = 4 * 1024 * 1024;
const MOST_OF_ALL = 16 * 1024 * 1024;
/** The approximate maximum of one response. */
const MOST_AT_ONCE = 1024 * 1024;

type Batch = { events: readonly LogEvent[]; first: number; characters: number };

/** Caches the last events of active sessions, so followers at the end need no database query. */
export class RecentEvents {
  #sessions = new Map<string, Recent>();
  #characters = 0;

  /** Takes new events of a session; they are kept if they follow on those it has, or instead of them. */
  add(sessionId: string, events: readonly LogEvent[], characters: number): void {
    const first = events[0]?.cursor;
    if (first === undefined) return;
    const known = this.#sessions.get(sessionId);
    this.forget(sessionId);
    // Two who wrote at once may be heard in the wrong order: then only the log knows better.
    if (known && known.next > first) return;
    const recent = known?.next === first ? known : new Recent();
    recent.add({ events, first, characters });
    this.#sessions.set(sessionId, recent);
    this.#characters += recent.characters;
    for (const oldest of this.#sessions.keys()) {
      if (this.#characters <= MOST_OF_ALL) return;
      this.forget(oldest);
    }
  }

  /** Another daemon has written to the session. */
  forget(sessionId: string): void {
    this.#characters -= this.#sessions.get(sessionId)?.characters ?? 0;
    this.#sessions.delete(sessionId);
  }

  forgetAll(): void {
    this.#sessions.clear();
    this.#characters = 0;
  }

  /** The events behind a cursor; nothing when they do not reach back that far. */
  after(sessionId: string, cursor: number, limit: number): LogEvent[] | undefined {
    return this.#sessions.get(sessionId)?.from(cursor + 1, limit);
  }
}

/** The last events of one session, as they came. */
class Recent {
  #batches: Batch[] = [];
  characters = 0;
  /** The cursor that the next event will have. */
  next = 0;

  add(batch: Batch): void {
    this.#batches.push(batch);
    this.characters += batch.characters;
    this.next = batch.first + batch.events.length;
    while (this.characters > MOST_OF_ONE) {
      this.characters -= this.#batches.shift()?.characters ?? 0;
    }
  }

  from(cursor: number, limit: number): LogEvent[] | undefined {
    // From the end, where most followers are.
    const start = this.#batches.findLastIndex(({ first }) => first <= cursor);
    if (start === -1) return undefined;
    const found: LogEvent[] = [];
    let length = 0;
    for (const { events, first, characters } of this.#batches.slice(start)) {
      const skipped = Math.max(0, cursor - first);
      found.push(...events.slice(skipped, skipped + limit - found.length));
      length += characters;
      if (found.length >= limit || length >= MOST_AT_ONCE) break;
    }
    return found;
  }
}
