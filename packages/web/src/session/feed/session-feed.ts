import { type BatonClient, retryWhileUnreachable } from '@baton/client';
import type { Entry, LogEvent, Usage } from '@baton/protocol';
import { FeedStore, type Listener } from './feed-store.ts';
import { FrameBatches } from './frame-batches.ts';
import { isFileChange, isMilestone } from './milestones.ts';
import { TranscriptFold } from './transcript-fold.ts';

const PAGE = 100;
/**
 * Limits of the entries that events add and of those that are kept, so that a page left open overnight does not fill
 * the memory.
 */
const MOST = { entries: 2000, text: 16_000_000 };
const KEPT = { entries: 500, text: 4_000_000 };

/** One open session, kept up to date across interruptions of the connection. */
export class SessionFeed extends FeedStore {
  readonly sessionId: string;
  /** Called when tasks or requests of the session have changed. */
  onMilestone: Listener = () => {};
  /** Called when files have changed. */
  onFileChange: Listener = () => {};
  /** True if earlier entries are out of view: then they may be unloaded, and are loaded again on demand. */
  isReadAtEnd: () => boolean = () => true;
  #client: BatonClient;
  #stop = new AbortController();
  #fold: TranscriptFold | undefined;
  #batches = new FrameBatches<LogEvent>((events) => this.#apply(events));

  constructor(client: BatonClient, sessionId: string) {
    super();
    this.#client = client;
    this.sessionId = sessionId;
  }

  /** Starts reading, at the latest from the given entry on; returns a function that stops it. */
  open(from?: number): () => void {
    this.#begin(from);
    return () => this.#stop.abort();
  }

  /** Starts again after a failure. */
  retry(): void {
    this.#stop.abort();
    this.reset();
    this.#begin();
  }

  entry(cursor: number): Entry | undefined {
    return this.#fold?.entry(cursor);
  }

  /** All loaded entries, in order. */
  entries(): readonly Entry[] {
    return this.#fold?.entries() ?? [];
  }

  /** The entries nested in an entry. */
  children(cursor: number): readonly number[] {
    return this.#fold?.rows.children(cursor) ?? [];
  }

  /** The entries of a sub-agent whose own entry is not loaded. */
  orphans(parentKey: string): readonly number[] {
    return this.#fold?.rows.orphans(parentKey) ?? [];
  }

  /** Loads the previous page; errors are in the state. */
  async loadEarlier(): Promise<void> {
    const fold = this.#fold;
    const { hasEarlier, isLoadingEarlier, pages } = this.state();
    if (!fold || !hasEarlier || isLoadingEarlier) return;
    const { signal } = this.#stop;
    this.change({ isLoadingEarlier: true, earlierError: undefined });
    try {
      const page = await this.#page({ before: fold.first });
      if (signal.aborted) return;
      fold.addEarlier(page);
      const hasEarlier = page.has_earlier;
      this.change({ rows: fold.rows.rows, hasEarlier, pages: pages + 1 });
    } catch (earlierError) {
      if (!signal.aborted) this.change({ earlierError });
    } finally {
      if (!signal.aborted) this.change({ isLoadingEarlier: false });
    }
  }

  /** Loads earlier pages until an entry is loaded. */
  async loadBackTo(cursor: number): Promise<void> {
    while (this.#fold && this.state().hasEarlier && this.#fold.first > cursor) {
      const { first } = this.#fold;
      await this.loadEarlier();
      const { earlierError } = this.state();
      if (earlierError !== undefined) throw earlierError;
      if (this.#fold.first === first) return;
    }
  }

  #begin(from?: number): void {
    const stop = new AbortController();
    this.#stop = stop;
    this.#run(stop.signal, from).catch((error: unknown) => {
      if (!stop.signal.aborted) this.change({ state: 'failed', error });
    });
  }

  async #run(signal: AbortSignal, from?: number): Promise<void> {
    const page = await retryWhileUnreachable(() => this.#page({}), signal);
    if (signal.aborted) return;
    const fold = new TranscriptFold(page);
    this.#fold = fold;
    const hasEarlier = page.has_earlier;
    this.change({ rows: fold.rows.rows, hasEarlier, usage: lastUsage(fold) });
    // What cannot be loaded is in the state, and what is there can be read.
    if (from !== undefined) await this.loadBackTo(from).catch(() => {});
    if (signal.aborted) return;
    this.change({ state: 'ready' });
    const events = this.#client.follow(this.sessionId, { after: page.cursor, signal });
    for await (const event of events) this.#batches.add(event);
  }

  #page(part: { before?: number }) {
    return this.#client.transcript.find({ session_id: this.sessionId, limit: PAGE, ...part });
  }

  #forgetEarlier(fold: TranscriptFold): void {
    // What is being loaded would not fit to what is left.
    const { isLoadingEarlier, pages } = this.state();
    if (isLoadingEarlier) return;
    fold.forgetEarlier(KEPT);
    this.change({ rows: fold.rows.rows, hasEarlier: true, pages: pages + 1 });
  }

  #apply(events: readonly LogEvent[]): void {
    if (!this.#fold || this.#stop.signal.aborted) return;
    const { entries, hasNewRows } = this.#fold.apply(events);
    this.changeEntries(entries);
    const { usage: before } = this.state();
    const usage = usageIn(events, before);
    if (hasNewRows || usage !== before) this.change({ rows: this.#fold.rows.rows, usage });
    if (this.#fold.isFull(MOST) && this.isReadAtEnd()) this.#forgetEarlier(this.#fold);
    if (events.some(isMilestone)) this.onMilestone();
    if (events.some(isFileChange)) this.onFileChange();
  }
}

/** The last usage that the agent reported. Some agents report their context window only at the end. */
function usageIn(events: readonly LogEvent[], before: Usage | undefined): Usage | undefined {
  const usage = events
    .map((event) =>
      event.type === 'usage.updated' || event.type === 'run.completed' ? event.usage : undefined,
    )
    .findLast((each) => each !== undefined);
  return usage ? { ...usage, contextWindow: usage.contextWindow ?? before?.contextWindow } : before;
}

function lastUsage(fold: TranscriptFold): Usage | undefined {
  const result = fold.entries().findLast(({ kind }) => kind === 'result');
  return result?.kind === 'result' ? result.usage : undefined;
}
