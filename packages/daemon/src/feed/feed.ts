import type { LogEvent } from '@baton/protocol';
import type { SessionMoved, Store } from '@baton/store';
import { RecentEvents } from './recent-events.ts';

type FollowRequest = {
  sessionId: string;
  /** The last cursor that the follower has. */
  after: number;
  limit: number;
  /** Maximum time to wait for an event. */
  waitMs: number;
  /** Types of events to return; all by default. */
  types?: readonly string[] | undefined;
};

/** Events for a follower, and the cursor to continue after; the follower may have skipped events in between. */
export type FollowPage = { events: LogEvent[]; cursor: number };

/** The reason why a waiter can stop waiting. */
type Why = 'moved' | 'late' | 'closed';

/** Returns the events of a session to followers, each once and in order, from any cursor. */
export class Feed {
  #store: Store;
  #recent = new RecentEvents();
  #waiting = new Map<string, Set<Waiter>>();
  #closing = new AbortController();
  #onSession = (moved: SessionMoved) => this.#moved(moved);
  #onAll = () => this.#wakeEverybody('moved');

  constructor(store: Store) {
    this.#store = store;
    store.wakeUps.on('session', this.#onSession);
    store.wakeUps.on('all', this.#onAll);
  }

  /** Number of waiting followers. */
  get waiting(): number {
    let count = 0;
    for (const waiters of this.#waiting.values()) count += waiters.size;
    return count;
  }

  /** True if no more events will come. */
  get isClosed(): boolean {
    return this.closed.aborted;
  }

  /** Aborts when no more events will come; used by other long polls too. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Releases all waiters. */
  close(): void {
    this.#store.wakeUps.off('session', this.#onSession);
    this.#store.wakeUps.off('all', this.#onAll);
    this.#closing.abort();
    this.#wakeEverybody('closed');
  }

  /** Waits for events after a cursor and returns them; empty if none came in time. */
  async next({ sessionId, after, limit, waitMs, types }: FollowRequest): Promise<FollowPage> {
    // Listen first: what comes while the log is read must not be missed.
    const waiter = new Waiter(after, waitMs, types);
    this.#add(sessionId, waiter);
    try {
      for (;;) {
        const events = await this.#scan(sessionId, waiter, limit);
        const { cursor } = waiter;
        if (events.length > 0 || waitMs === 0 || this.isClosed) return { events, cursor };
        const why = await waiter.woken();
        if (why === 'closed') return { events: [], cursor };
        if (why === 'moved') continue;
        // A wake-up may have been lost: after an empty wait, the database is read.
        this.#recent.forget(sessionId);
        const late = await this.#scan(sessionId, waiter, limit);
        return { events: late, cursor: waiter.cursor };
      }
    } finally {
      waiter.stop();
      this.#remove(sessionId, waiter);
    }
  }

  /** Reads on from the cursor of a waiter until an event is for it, or to the end. */
  async #scan(sessionId: string, waiter: Waiter, limit: number): Promise<LogEvent[]> {
    for (;;) {
      const events = await this.#read(sessionId, waiter.cursor, limit);
      const wanted = waiter.take(events);
      if (wanted.length > 0 || events.length === 0) return wanted;
    }
  }

  async #read(sessionId: string, after: number, limit: number): Promise<LogEvent[]> {
    const recent = this.#recent.after(sessionId, after, limit);
    if (recent) return recent;
    return (await this.#store.log.read(sessionId, after, limit)).events;
  }

  #add(sessionId: string, waiter: Waiter): void {
    const waiting = this.#waiting.get(sessionId) ?? new Set();
    this.#waiting.set(sessionId, waiting.add(waiter));
  }

  #remove(sessionId: string, waiter: Waiter): void {
    const waiting = this.#waiting.get(sessionId);
    waiting?.delete(waiter);
    if (waiting?.size === 0) this.#waiting.delete(sessionId);
  }

  #moved({ sessionId, events, characters = 0 }: SessionMoved): void {
    if (events) this.#recent.add(sessionId, events, characters);
    else this.#recent.forget(sessionId);
    for (const waiter of this.#waiting.get(sessionId) ?? []) waiter.hear(events);
  }

  #wakeEverybody(why: Why): void {
    this.#recent.forgetAll();
    for (const waiters of this.#waiting.values()) for (const waiter of waiters) waiter.wake(why);
  }
}

/** A waiting follower, and the cursor up to which there is no event for it. */
class Waiter {
  cursor: number;
  #types: ReadonlySet<string> | undefined;
  #timer: NodeJS.Timeout;
  #why: Why | undefined;
  #resolve: ((why: Why) => void) | undefined;

  constructor(after: number, waitMs: number, types: readonly string[] | undefined) {
    this.cursor = after;
    this.#types = types && new Set(types);
    this.#timer = setTimeout(() => this.wake('late'), waitMs);
  }

  /** Returns the events that the follower wants, and moves the cursor past all of them. */
  take(events: LogEvent[]): LogEvent[] {
    this.cursor = events.at(-1)?.cursor ?? this.cursor;
    return this.#types ? events.filter(({ type }) => this.#types?.has(type)) : events;
  }

  /** Skips new events without waking the follower if it wants none of them; without events, only the log knows. */
  hear(events: readonly LogEvent[] | undefined): void {
    const last = events?.at(-1);
    const isNext = events?.[0]?.cursor === this.cursor + 1;
    const isSkipped = this.#types && !events?.some(({ type }) => this.#types?.has(type));
    if (last && isNext && isSkipped && this.#resolve) this.cursor = last.cursor;
    else this.wake('moved');
  }

  wake(why: Why): void {
    // An end outweighs a move.
    if (this.#why === undefined || why !== 'moved') this.#why = why;
    this.#resolve?.(this.#why);
  }

  /** Waits for the next wake-up and returns its reason; a wake-up since the last call counts. */
  async woken(): Promise<Why> {
    const { promise, resolve } = Promise.withResolvers<Why>();
    this.#resolve = resolve;
    const why = this.#why ?? (await promise);
    this.#resolve = undefined;
    this.#why = undefined;
    return why;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
