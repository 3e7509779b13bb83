import { entryKeyOf, type LogEvent } from '@baton/protocol';
import { withRetry } from '@baton/runtime';
import type { Store } from '@baton/store';
import type { Feed } from '../feed/feed.ts';
import { type SeedEvent, seedEventOf } from './seed-events.ts';

const WAIT_MS = 30_000;
const AT_ONCE = 500;
const OPEN_ENTRIES = 100;
const RETRY = { attempts: Number.POSITIVE_INFINITY, baseMs: 100, maxMs: 5000 };

type Follower = { listeners: number; stop: AbortController; begun: Promise<void> };

/** Follows the sessions that somebody wants to hear of in the words of service events, and tells each event once. */
export class SeedView {
  #store: Store;
  #feed: Feed;
  #tell: (event: SeedEvent) => void;
  #followers = new Map<string, Follower>();

  constructor(store: Store, feed: Feed, tell: (event: SeedEvent) => void) {
    this.#store = store;
    this.#feed = feed;
    this.#tell = tell;
  }

  /** Begins to tell of a session; gives what ends it. */
  async follow(sessionId: string): Promise<() => void> {
    const known = this.#followers.get(sessionId);
    const follower = known ?? this.#follower(sessionId);
    follower.listeners += 1;
    this.#followers.set(sessionId, follower);
    const stop = () => {
      follower.listeners -= 1;
      if (follower.listeners > 0) return;
      follower.stop.abort();
      if (this.#followers.get(sessionId) === follower) this.#followers.delete(sessionId);
    };
    try {
      await follower.begun;
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  #follower(sessionId: string): Follower {
    const stop = new AbortController();
    return { listeners: 0, stop, begun: this.#begin(sessionId, stop.signal) };
  }

  async #begin(sessionId: string, signal: AbortSignal): Promise<void> {
    const session = await this.#store.records.sessions.get(sessionId);
    const entries = await this.#store.entries(sessionId, { limit: OPEN_ENTRIES });
    /** Where the messages that are being said began. */
    const begun = new Map(
      entries.filter(({ open }) => open).map(({ key, cursor }) => [key, cursor]),
    );
    void this.#run(sessionId, session?.head_cursor ?? 0, begun, signal);
  }

  async #run(
    sessionId: string,
    from: number,
    begun: Map<string, number>,
    signal: AbortSignal,
  ): Promise<void> {
    for (let after = from; !signal.aborted && !this.#feed.isClosed; ) {
      const events = await this.#next(sessionId, after, signal);
      for (const event of events) {
        if (signal.aborted) return;
        after = event.cursor;
        this.#tellOf(sessionId, event, begun);
      }
    }
  }

  /** A database that does not answer for a moment is asked again. */
  async #next(sessionId: string, after: number, signal: AbortSignal): Promise<LogEvent[]> {
    const ask = { sessionId, after, limit: AT_ONCE, waitMs: WAIT_MS };
    const events = await withRetry(() => this.#feed.next(ask).catch(() => undefined), {
      ...RETRY,
      isTransient: (found) => found === undefined,
      signal,
    });
    return events ?? [];
  }

  #tellOf(sessionId: string, event: LogEvent, begun: Map<string, number>): void {
    const key = entryKeyOf(event) ?? '';
    if (event.type === 'message.started') begun.set(key, event.cursor);
    const told = seedEventOf(
      sessionId,
      event,
      () => `${sessionId}.${begun.get(key) ?? event.cursor}`,
    );
    if (event.type === 'message.completed') begun.delete(key);
    if (told) this.#tell(told);
  }
}
