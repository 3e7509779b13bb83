import type { BatonClient } from '@baton/client';
import { BatonError, type Entry, type LogEvent, type Usage } from '@baton/protocol';
import { Batches } from './batches.ts';
import { isMilestone } from './milestones.ts';
import { type Row, TranscriptFold } from './transcript-fold.ts';

const PAGE = 100;
const RETRY_MS = 1000;

/** What a view has to know of the whole of a session that is open. */
export type FeedState = {
  state: 'loading' | 'ready' | 'failed';
  rows: readonly Row[];
  hasEarlier: boolean;
  isLoadingEarlier: boolean;
  /** How many pages stand before the first one: the list keeps its place when it grows. */
  pages: number;
  /** What the agent said last about its tokens. */
  usage?: Usage | undefined;
  error?: unknown;
};

type Listener = () => void;

/** One open session, kept up to date; losing the daemon for a while changes nothing in it. */
export class SessionFeed {
  readonly sessionId: string;
  /** Told when tasks or requests of the session have changed. */
  onMilestone: Listener = () => {};
  #client: BatonClient;
  #stop = new AbortController();
  #fold: TranscriptFold | undefined;
  #listeners = new Set<Listener>();
  #entryListeners = new Map<number, Set<Listener>>();
  #batches = new Batches<LogEvent>((events) => this.#apply(events));
  #state: FeedState = {
    state: 'loading',
    rows: [],
    hasEarlier: false,
    isLoadingEarlier: false,
    pages: 0,
  };

  constructor(client: BatonClient, sessionId: string) {
    this.#client = client;
    this.sessionId = sessionId;
  }

  /** Begins to read; gives the way to end it. */
  open(): () => void {
    this.#stop = new AbortController();
    this.#run(this.#stop.signal).catch((error: unknown) =>
      this.#change({ state: 'failed', error }),
    );
    const stop = this.#stop;
    return () => stop.abort();
  }

  subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  state = (): FeedState => this.#state;

  /** Calls a function whenever one entry, or what is inside it, has changed. */
  subscribeEntry(cursor: number, listener: Listener): () => void {
    const listeners = this.#entryListeners.get(cursor) ?? new Set();
    this.#entryListeners.set(cursor, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#entryListeners.delete(cursor);
    };
  }

  entry(cursor: number): Entry | undefined {
    return this.#fold?.entry(cursor);
  }

  /** The entries inside an entry. */
  children(cursor: number): readonly number[] {
    return this.#fold?.rows.children(cursor) ?? [];
  }

  /** The entries of a sub-agent whose own entry is not loaded. */
  orphans(parentKey: string): readonly number[] {
    return this.#fold?.rows.orphans(parentKey) ?? [];
  }

  /** Loads the page before what is shown. */
  async loadEarlier(): Promise<void> {
    const fold = this.#fold;
    if (!fold || !this.#state.hasEarlier || this.#state.isLoadingEarlier) return;
    const { signal } = this.#stop;
    this.#change({ isLoadingEarlier: true });
    try {
      const { entries } = await this.#page({ before: fold.first });
      if (signal.aborted) return;
      fold.addEarlier(entries);
      this.#change({
        rows: fold.rows.rows,
        hasEarlier: entries.length === PAGE,
        pages: this.#state.pages + 1,
      });
    } finally {
      this.#change({ isLoadingEarlier: false });
    }
  }

  /** Loads what came before until an entry is there. */
  async loadBackTo(cursor: number): Promise<void> {
    while (this.#fold && this.#state.hasEarlier && this.#fold.first > cursor) {
      const { first } = this.#fold;
      await this.loadEarlier();
      if (this.#fold.first === first) return;
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const page = await this.#firstPage(signal);
    if (!page || signal.aborted) return;
    const fold = new TranscriptFold(page);
    this.#fold = fold;
    const hasEarlier = page.entries.length === PAGE;
    this.#change({ state: 'ready', rows: fold.rows.rows, hasEarlier, usage: lastUsage(fold) });
    const events = this.#client.follow(this.sessionId, { after: page.cursor, signal });
    for await (const event of events) this.#batches.add(event);
  }

  async #firstPage(signal: AbortSignal) {
    while (!signal.aborted) {
      try {
        return await this.#page({});
      } catch (error) {
        if (!BatonError.is(error) || !error.retryable) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    return undefined;
  }

  #page(part: { before?: number }) {
    return this.#client.transcript.find({ session_id: this.sessionId, limit: PAGE, ...part });
  }

  #apply(events: readonly LogEvent[]): void {
    if (!this.#fold || this.#stop.signal.aborted) return;
    const { entries, hasNewRows } = this.#fold.apply(events);
    for (const cursor of entries) {
      for (const listener of this.#entryListeners.get(cursor) ?? []) listener();
    }
    const usage = events.findLast((event) => event.type === 'usage.updated')?.usage;
    if (hasNewRows || usage) {
      this.#change({ rows: this.#fold.rows.rows, usage: usage ?? this.#state.usage });
    }
    if (events.some(isMilestone)) this.onMilestone();
  }

  #change(changes: Partial<FeedState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

function lastUsage(fold: TranscriptFold): Usage | undefined {
  const result = fold.entries().findLast(({ kind }) => kind === 'result');
  return result?.kind === 'result' ? result.usage : undefined;
}
