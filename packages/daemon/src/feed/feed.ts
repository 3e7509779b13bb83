import type { LogEvent } from '@baton/protocol';
import type { SessionMoved, Store } from '@baton/store';
import { RecentEvents } from './recent-events.ts';

export type FollowRequest = {
  sessionId: string;
  /** The last cursor that the follower has. */
  after: number;
  limit: number;
  /** So long it may take until there is something. */
  waitMs: number;
};

/** The reason why a waiter can stop waiting. */
type Why = 'moved' | 'late' | 'closed';
type Wake = (why: Why) => void;

/** Gives followers the events of a session, each once and in order, wherever they begin. */
export class Feed {
  #store: Store;
  #recent = new RecentEvents();
  #waiting = new Map<string, Set<Wake>>();
  #closing = new AbortController();
  #onSession = (moved: SessionMoved) => this.#moved(moved);
  #onAll = () => this.#wakeEverybody('moved');

  constructor(store: Store) {
    this.#store = store;
    store.wakeUps.on('session', this.#onSession);
    store.wakeUps.on('all', this.#onAll);
  }

  /** How many followers wait for something new. */
  get waiting(): number {
    let count = 0;
    for (const listeners of this.#waiting.values()) count += listeners.size;
    return count;
  }

  /** Whether nothing more will come. */
  get isClosed(): boolean {
    return this.closed.aborted;
  }

  /** Aborts when nothing more will come, for other long polls. */
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

  /** The events behind a cursor, as soon as there are any; none when it took too long. */
  async next({ sessionId, after, limit, waitMs }: FollowRequest): Promise<LogEvent[]> {
    // Listen first: what comes while the log is read must not be missed.
    const { woken, stop } = this.#listen(sessionId, waitMs);
    try {
      const there = await this.#read(sessionId, after, limit);
      if (there.length > 0 || waitMs === 0 || this.isClosed) return there;
      const why = await woken;
      if (why === 'closed') return [];
      // A wake-up may have been lost: after an empty wait, the database is read.
      if (why === 'late') this.#recent.forget(sessionId);
      return await this.#read(sessionId, after, limit);
    } finally {
      stop();
    }
  }

  async #read(sessionId: string, after: number, limit: number): Promise<LogEvent[]> {
    const recent = this.#recent.after(sessionId, after, limit);
    if (recent) return recent;
    return (await this.#store.log.read(sessionId, after, limit)).events;
  }

  #listen(sessionId: string, waitMs: number): { woken: Promise<Why>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<Why>();
    const listeners = this.#waiting.get(sessionId) ?? new Set();
    this.#waiting.set(sessionId, listeners);
    const wake = (why: Why) => {
      clearTimeout(timer);
      resolve(why);
    };
    const timer = setTimeout(wake, waitMs, 'late');
    listeners.add(wake);
    return {
      woken: promise,
      stop: () => {
        clearTimeout(timer);
        listeners.delete(wake);
        if (listeners.size === 0) this.#waiting.delete(sessionId);
      },
    };
  }

  #moved({ sessionId, events, characters = 0 }: SessionMoved): void {
    if (events) this.#recent.add(sessionId, events, characters);
    else this.#recent.forget(sessionId);
    for (const wake of this.#waiting.get(sessionId) ?? []) wake('moved');
  }

  #wakeEverybody(why: Why): void {
    this.#recent.forgetAll();
    for (const listeners of this.#waiting.values()) for (const wake of listeners) wake(why);
  }
}
