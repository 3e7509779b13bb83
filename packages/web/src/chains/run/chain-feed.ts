import { type BatonClient, retryWhileUnreachable } from '@baton/client';
import {
  applyChainEvent,
  type ChainEvent,
  type ChainState,
  emptyChainState,
} from '@baton/protocol';

const WAIT_MS = 25_000;

export type ChainFeedState = {
  /** Nothing until the first events are there. */
  chain: ChainState | undefined;
  error?: unknown;
};

/** One open chain run, folded from its events; after a lost connection it continues from the same event. */
export class ChainFeed {
  /** Called when there are new events. */
  onEvents: () => void = () => {};
  #client: Pick<BatonClient, 'chainRuns'>;
  #runId: string;
  #fold = emptyChainState();
  #state: ChainFeedState = { chain: undefined };
  #listeners = new Set<() => void>();

  constructor(client: Pick<BatonClient, 'chainRuns'>, runId: string) {
    this.#client = client;
    this.#runId = runId;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  state = (): ChainFeedState => this.#state;

  /** Begins to follow the run; returns the function that ends it. */
  open(): () => void {
    const stop = new AbortController();
    this.#fold = emptyChainState();
    this.#follow(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) this.#change({ ...this.#state, error });
    });
    return () => stop.abort();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (let after = 0; !signal.aborted; ) {
      const query = { chain_run_id: this.#runId, after, wait: WAIT_MS };
      const page = await retryWhileUnreachable(() => this.#client.chainRuns.events(query), signal);
      if (signal.aborted) return;
      after = page.seq;
      if (page.events.length > 0) this.#apply(page.events);
    }
  }

  #apply(events: readonly ChainEvent[]): void {
    for (const event of events) applyChainEvent(this.#fold, event);
    // The fold changes in place; what is drawn must not.
    this.#change({ chain: { ...this.#fold, steps: new Map(this.#fold.steps) } });
    this.onEvents();
  }

  #change(state: ChainFeedState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
