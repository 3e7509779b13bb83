import type { AgentRun } from '@baton/engine/definition/backend';
import { BatonError } from '@baton/protocol';

/** Steers the agent with messages from the user, as soon as the agent accepts them. */
export class Steering {
  #run: Pick<AgentRun, 'steer'>;
  #waiting: string[] = [];
  #trying = Promise.resolve();

  constructor(run: Pick<AgentRun, 'steer'>) {
    this.#run = run;
  }

  give(text: string): Promise<void> {
    this.#waiting.push(text);
    return this.tryAgain();
  }

  /** An agent that is only just starting takes nothing yet; with its next event it may. */
  tryAgain(): Promise<void> {
    // One attempt at a time, so no message is delivered twice.
    if (this.#waiting.length > 0) this.#trying = this.#trying.then(() => this.#try());
    return this.#trying;
  }

  async #try(): Promise<void> {
    try {
      for (; this.#waiting[0] !== undefined; this.#waiting.shift())
        await this.#run.steer(this.#waiting[0]);
    } catch (error) {
      if (!BatonError.is(error)) throw error;
    }
  }
}
