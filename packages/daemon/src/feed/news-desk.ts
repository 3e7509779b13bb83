import { randomUUID } from 'node:crypto';
import type { SessionMoved, Store } from '@baton/store';

/** What happened since somebody last asked. */
export type News = {
  /** Where to go on the next time. */
  after: string;
  /** The sessions that have moved. */
  session_ids: string[];
  /** Nobody knows what was missed: look again at everything. */
  everything: boolean;
  /** Somebody was changed, such as their role; nobody is told who. */
  people: boolean;
};

/** So many sessions are remembered; who has missed more looks at everything again. */
const MOST_SESSIONS = 1000;

/** Tells which sessions have moved, to whoever shows many of them. */
export class NewsDesk {
  #store: Store;
  /** Numbers of another daemon, or of one that ran before, mean nothing here. */
  #edition = randomUUID();
  #number = 0;
  /** What happened up to it is not known any more. */
  #forgotten = 0;
  /** When people last changed. */
  #people = 0;
  /** When each session last moved, the latest at the end. */
  #moved = new Map<string, number>();
  #waiting = new Set<() => void>();
  #onSession = ({ sessionId }: SessionMoved) => this.#note(sessionId);
  #onAll = () => this.#forgetAll();

  constructor(store: Store) {
    this.#store = store;
    store.wakeUps.on('session', this.#onSession);
    store.wakeUps.on('all', this.#onAll);
  }

  /** What is new, as soon as something is; nothing when it took too long. */
  async next(after: string | undefined, waitMs: number): Promise<News> {
    const known = this.#numberOf(after);
    if (known === this.#number && waitMs > 0) await this.#somethingNew(waitMs);
    // Whoever waited in vain makes sure: what another daemon told may have got lost on its way.
    const isUnsure = this.#store.engine === 'postgres' && waitMs > 0 && known === this.#number;
    return {
      after: `${this.#edition}.${this.#number}`,
      everything: isUnsure || known === undefined || known < this.#forgotten,
      people: known === undefined || known < this.#people,
      session_ids: known === undefined ? [] : this.#movedSince(known),
    };
  }

  /** Lets everybody look who they are now. */
  peopleChanged(): void {
    this.#number += 1;
    this.#people = this.#number;
    this.#wake();
  }

  /** Lets everybody who waits go. */
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
