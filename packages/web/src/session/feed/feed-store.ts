import type { Usage } from '@baton/protocol';
import type { Row } from './row-list.ts';

/** The state of an open session for its view. */
type FeedState = {
  state: 'loading' | 'ready' | 'failed';
  rows: readonly Row[];
  hasEarlier: boolean;
  isLoadingEarlier: boolean;
  /** Error of loading earlier entries. */
  earlierError?: unknown;
  /** Number of pages before the first one: the list keeps its position when it grows. */
  pages: number;
  /** Last usage that the agent reported. */
  usage?: Usage | undefined;
  error?: unknown;
};

/** Called when the state has changed. */
export type Listener = () => void;

const EMPTY: FeedState = {
  state: 'loading',
  rows: [],
  hasEarlier: false,
  isLoadingEarlier: false,
  pages: 0,
};

/** The state of an open session; notifies subscribers when it or one of its entries changes. */
export class FeedStore {
  #state = EMPTY;
  #listeners = new Set<Listener>();
  #entryListeners = new Map<number, Set<Listener>>();

  subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  state = (): FeedState => this.#state;

  /** Calls a function whenever an entry, or an entry nested in it, has changed. */
  subscribeEntry(cursor: number, listener: Listener): () => void {
    const listeners = this.#entryListeners.get(cursor) ?? new Set();
    this.#entryListeners.set(cursor, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#entryListeners.delete(cursor);
    };
  }

  protected change(changes: Partial<FeedState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }

  protected changeEntries(cursors: Iterable<number>): void {
    for (const cursor of cursors) {
      for (const listener of this.#entryListeners.get(cursor) ?? []) listener();
    }
  }

  protected reset(): void {
    this.change({ ...EMPTY, error: undefined, earlierError: undefined });
  }
}
