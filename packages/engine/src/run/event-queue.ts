import { type AgentEvent, BatonError } from '@baton/protocol/values';

/** With this many events in the queue, backpressure stops reading the agent's output. */
const HIGH_WATER = 1024;
const LOW_WATER = 256;

/**
 * The events between the agent and one consumer, in order and bounded: a slow consumer applies backpressure to the
 * agent. Discarded events apply none.
 */
export class EventQueue implements AsyncIterable<AgentEvent> {
  /** Called when backpressure starts or ends. */
  onPressure: (held: boolean) => void = () => {};
  /** Called when the consumer leaves the loop before the last event. */
  onLeave: () => Promise<unknown> = async () => {};
  #events: AgentEvent[] = [];
  #head = 0;
  #waiting: ((result: IteratorResult<AgentEvent>) => void)[] = [];
  #ended = false;
  #held = false;
  #iterated = false;
  #discarded = false;
  #left = false;

  /** True if the events are being iterated, or were discarded. */
  get claimed(): boolean {
    return this.#iterated || this.#discarded;
  }

  /** True while backpressure is on because events are not read. */
  get held(): boolean {
    return this.#held;
  }

  push(event: AgentEvent): void {
    if (this.#left || this.#discarded) return;
    const resolve = this.#waiting.shift();
    if (resolve) return resolve({ value: event, done: false });
    this.#events.push(event);
    if (this.#size >= HIGH_WATER) this.#hold(true);
  }

  end(): void {
    this.#ended = true;
    this.#dismiss();
  }

  /** Drops all events, including future ones: they will not be iterated. */
  discard(): void {
    if (this.#iterated) throw consumed();
    this.#discarded = true;
    this.#empty();
    this.#hold(false);
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    if (this.#iterated) throw consumed();
    if (this.#discarded) {
      throw new BatonError('usage', 'The run was collected, so its events were discarded.', {
        hint: 'Iterate the run instead of calling collect().',
      });
    }
    this.#iterated = true;
    return {
      next: () => this.#next(),
      return: async () => {
        this.#left = true;
        this.#empty();
        this.#hold(false);
        this.#dismiss();
        await this.onLeave();
        return { value: undefined, done: true };
      },
    };
  }

  get #size(): number {
    return this.#events.length - this.#head;
  }

  /** Ends every pending `next()`: no event follows. */
  #dismiss(): void {
    for (const resolve of this.#waiting.splice(0)) resolve({ value: undefined, done: true });
  }

  #empty(): void {
    this.#events = [];
    this.#head = 0;
  }

  #next(): Promise<IteratorResult<AgentEvent>> {
    const event = this.#events[this.#head];
    if (event) {
      this.#head += 1;
      if (this.#size === 0) this.#empty();
      // Frees the events that were read, also while the reader never quite catches up.
      if (this.#head >= HIGH_WATER) {
        this.#events.splice(0, this.#head);
        this.#head = 0;
      }
      if (this.#held && this.#size <= LOW_WATER) this.#hold(false);
      return Promise.resolve({ value: event, done: false });
    }
    if (this.#ended || this.#left) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #hold(held: boolean): void {
    if (this.#held === held) return;
    this.#held = held;
    this.onPressure(held);
  }
}

function consumed(): BatonError {
  return new BatonError('usage', 'The events of a run can be consumed only once.', {
    hint: 'Store the events if you need them again; run.result can be awaited any number of times.',
  });
}
