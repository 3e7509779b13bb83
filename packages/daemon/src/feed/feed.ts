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

/** Gives followers the events of a session, each once and in order, wherever they begin. */
export class Feed {
  #store: Store;
  #recent = new RecentEvents();
  #waiting = new Map<string, Set<() => void>>();
  #onSession = (moved: SessionMoved) => this.#moved(moved);
  #onAll = () => this.#wakeEverybody();

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

  /** Lets everybody who waits go. */
  close(): void {
    this.#store.wakeUps.off('session', this.#onSession);
    this.#store.wakeUps.off('all', this.#onAll);
    this.#wakeEverybody();
  }

  /** The events behind a cursor, as soon as there are any; none when it took too long. */
  async next({ sessionId, after, limit, waitMs }: FollowRequest): Promise<LogEvent[]> {
    // Listen first: what comes while the log is read must not be missed.
    const { moved, stop } = this.#listen(sessionId, waitMs);
    try {
      const there = await this.#read(sessionId, after, limit);
      if (there.length > 0 || waitMs === 0) return there;
      await moved;
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

  #listen(sessionId: string, waitMs: number): { moved: Promise<void>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listeners = this.#waiting.get(sessionId) ?? new Set();
    this.#waiting.set(sessionId, listeners.add(resolve));
    const timer = setTimeout(resolve, waitMs);
    return {
      moved: promise,
      stop: () => {
        clearTimeout(timer);
        listeners.delete(resolve);
        if (listeners.size === 0) this.#waiting.delete(sessionId);
      },
    };
  }

  #moved({ sessionId, events, characters = 0 }: SessionMoved): void {
    if (events) this.#recent.add(sessionId, events, characters);
    else this.#recent.forget(sessionId);
    for (const wake of this.#waiting.get(sessionId) ?? []) wake();
  }

  #wakeEverybody(): void {
    this.#recent.forgetAll();
    for (const listeners of this.#waiting.values()) for (const wake of listeners) wake();
  }
}
