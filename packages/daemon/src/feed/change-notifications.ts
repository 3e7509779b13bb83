import { randomUUID } from 'node:crypto';
import type { SessionMoved, Store } from '@baton/store';

/** Changes since the last call. */
export type News = {
  /** Position to pass to the next call. */
  after: string;
  /** The sessions that have changed. */
  session_ids: string[];
  /** Changes may have been missed: refresh everything. */
  everything: boolean;
  /** True if a user was changed, such as a role; the notification does not name the user. */
  people: boolean;
};

/** Maximum number of remembered sessions; a page that missed more reloads everything. */
const MOST_SESSIONS = 1000;

/** Long-poll notifications of changed sessions and users, for pages that show many sessions. */
export class ChangeNotifications {
  #store: Store;
  /** Identifies this process: positions from another daemon, or from an earlier start, are invalid here. */
  #edition = randomUUID();
  #number = 0;
  /** Changes up to this number are no longer known. */
  #forgotten = 0;
  /** Number of the last change of a user. */
  #people = 0;
  /** Number of the last change of each session, latest last. */
  #moved = new Map<string, number>();
  #waiting = new Set<() => void>();
  #onSession = ({ sessionId }: SessionMoved) => this.#note(sessionId);
  #onAll = () => this.#forgetAll();

  constructor(store: Store) {
    this.#store = store;
    store.wakeUps.on('session', this.#onSession);
    store.wakeUps.on('all', this.#onAll);
  }

  /** Waits for changes and returns them; empty if none came in time. */
  async next(after: string | undefined, waitMs: number): Promise<News> {
    const known = this.#numberOf(after);
    if (known === this.#number && waitMs > 0) await this.#somethingNew(waitMs);
    // A notification of another daemon may have been lost: after an empty wait, everything is read again.
    const isUnsure = this.#store.engine === 'postgres' && waitMs > 0 && known === this.#number;
    return {
      after: `${this.#edition}.${this.#number}`,
      everything: isUnsure || known === undefined || known < this.#forgotten,
      people: known === undefined || known < this.#people,
      session_ids: known === undefined ? [] : this.#movedSince(known),
    };
  }

  /** Call when a user changed: every page reads its own user again. */
  peopleChanged(): void {
    this.#number += 1;
    this.#people = this.#number;
    this.#wake();
  }

  /** Releases all waiters. */
  close(): void {
    this.#store.wakeUps.off('session', this.#onSession);
    this.#store.wakeUps.off('all', this.#onAll);
    this.#wake();
  }

  #numberOf(after: string | undefined): number | undefined {
    const [edition, number] = after?.split('.') ?? [];
    const known = Number(number);
    return edition === this.#edition && known <= this.#number ? known : undefined;
  }

  #movedSince(known: number): string[] {
    const ids: string[] = [];
    for (const [id, number] of [...this.#moved].reverse()) {
      if (number <= known) break;
      ids.push(id);
    }
    return ids;
  }

  #note(sessionId: string): void {
    this.#number += 1;
    this.#moved.delete(sessionId);
    this.#moved.set(sessionId, this.#number);
    const [oldest] = this.#moved;
    if (oldest && this.#moved.size > MOST_SESSIONS) {
      this.#moved.delete(oldest[0]);
      this.#forgotten = oldest[1];
    }
    this.#wake();
  }

  #forgetAll(): void {
    this.#number += 1;
    this.#forgotten = this.#number;
    this.#moved.clear();
    this.#wake();
  }

  #somethingNew(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const done of this.#waiting) done();
  }
}
