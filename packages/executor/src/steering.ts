import { BatonError } from '@baton/protocol';
import type { AgentRun } from '@baton/runtime';

/** Hands on what a person adds while the agent works, as soon as the agent can take it. */
export class Steering {
  #run: Pick<AgentRun, 'steer'>;
  #waiting: string[] = [];

  constructor(run: Pick<AgentRun, 'steer'>) {
    this.#run = run;
  }

  give(text: string): void {
    this.#waiting.push(text);
    this.tryAgain();
  }

  /** An agent that is only just starting takes nothing yet; with its next event it may. */
  tryAgain(): void {
    try {
      for (; this.#waiting[0] !== undefined; this.#waiting.shift())
        this.#run.steer(this.#waiting[0]);
    } catch (error) {
      if (!BatonError.is(error)) throw error;
    }
  }
}
