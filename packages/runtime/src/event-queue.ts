import { type AgentEvent, BatonError } from '@baton/protocol';

/** From here on the agent's output is not read any further until the consumer has caught up. */
const HIGH_WATER = 1024;
const LOW_WATER = 256;

/**
 * The events between the agent and one consumer, in order and bounded: when the consumer is slow the agent waits.
 * When nobody iterates and only the result is wanted, events are let go.
 */
export class EventQueue implements AsyncIterable<AgentEvent> {
  /** Called when the agent's output should, or need no longer, be held back. */
  onPressure: (held: boolean) => void = () => {};
  /** Called when the consumer leaves the loop before the last event. */
  onLeave: () => Promise<unknown> = async () => {};
  #events: AgentEvent[] = [];
  #head = 0;
  #waiting: ((result: IteratorResult<AgentEvent>) => void)[] = [];
  #ended = false;
  #held = false;
  #iterated = false;
  #resultWanted = false;
  #lost = false;
  #left = false;

  get iterated(): boolean {
    return this.#iterated;
  }

  /** Whether the agent is being held back because nobody reads. */
  get held(): boolean {
    return this.#held;
  }

  push(event: AgentEvent): void {
    if (this.#left) return;
    const resolve = this.#waiting.shift();
    if (resolve) return resolve({ value: event, done: false });
    this.#events.push(event);
    if (this.#size < HIGH_WATER) return;
    if (this.#mayLetGo) return this.#letGo();
    this.#hold(true);
  }

  end(): void {
    this.#ended = true;
    for (const resolve of this.#waiting.splice(0)) resolve({ value: undefined, done: true });
  }

  /** Says that the result alone is wanted; events need not be kept unless somebody iterates. */
  wantResult(): void {
    this.#resultWanted = true;
    if (!this.#held) return;
    setImmediate(() => {
      if (this.#held && this.#mayLetGo) this.#letGo();
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    if (this.#iterated) {
      throw new BatonError('usage', 'The events of a run can be iterated only once.', {
        hint: 'Keep the events you need twice, or follow the run from one place.',
      });
    }
    if (this.#lost) {
      throw new BatonError('usage', 'Events were let go because only the result was awaited.', {
        hint: 'Begin to iterate before you await the result.',
      });
    }
    this.#iterated = true;
    return {
      next: () => this.#next(),
      return: async () => {
        this.#left = true;
        this.#empty();
        this.#hold(false);
        await this.onLeave();
        return { value: undefined, done: true };
      },
    };
  }

  get #size(): number {
    return this.#events.length - this.#head;
  }

  get #mayLetGo(): boolean {
    return this.#resultWanted && !this.#iterated;
  }

  #letGo(): void {
    this.#lost = true;
    this.#empty();
    this.#hold(false);
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
      // A reader who never quite catches up must not keep all that it has read.
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
