import { BatonClient } from '@baton/client';
import type { AgentEvent } from '@baton/protocol';
import { runEvents, take } from '../streams/events.ts';
import type { Place } from './place.ts';

/** After this an event is lost. */
const PATIENCE_MS = 120_000;

/** An executor that reports as fast as its daemon takes it, and somebody who follows its session. */
export class Ingest {
  #executor: BatonClient;
  #follower: BatonClient;
  #sessionId: string;
  #source: Generator<AgentEvent, never>;
  #cursor = 0;
  /** The last event that was confirmed. */
  sent = 0;
  /** The last event that has come to the follower, like all before it. */
  came = 0;

  constructor({ url, token, executors }: Place, index: number) {
    const own = executors[index];
    if (!own) throw new Error(`There is no executor ${index}.`);
    this.#executor = new BatonClient({ url, token: own.token });
    this.#follower = new BatonClient({ url, token });
    this.#sessionId = own.sessionId;
    this.#source = runEvents(own.sessionId);
  }

  /** The next events of the run, as they are sent together. */
  batches(count: number, events: number): AgentEvent[][] {
    return Array.from({ length: count }, () => take(this.#source, events));
  }

  /** Reports events one batch after another; settles when each is confirmed and has come to the follower, in order. */
  async pass(batches: readonly AgentEvent[][]): Promise<void> {
    const last = batches.at(-1)?.at(-1)?.seq ?? 0;
    await Promise.all([this.#report(batches), this.#followTo(last)]);
  }

  close(): void {
    this.#executor.close();
    this.#follower.close();
  }

  async #report(batches: readonly AgentEvent[][]): Promise<void> {
    for (const batch of batches) {
      this.sent = (await this.#executor.messages.append(batch)).last_seq;
      if (this.sent !== batch.at(-1)?.seq) throw new Error(`Event ${this.sent} is the last one.`);
    }
  }

  async #followTo(last: number): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const events = this.#follower.follow(this.#sessionId, { after: this.#cursor, signal });
    for await (const event of events) {
      if (event.cursor !== ++this.#cursor) throw new Error(`Cursor ${event.cursor} is wrong.`);
      // Before its run, a session has a beginning.
      if (!('seq' in event)) continue;
      if (event.seq !== ++this.came) throw new Error(`Event ${event.seq} came out of order.`);
      if (event.seq === last) return;
    }
    throw new Error(`Event ${this.came + 1} has not come.`);
  }
}
