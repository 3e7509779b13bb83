import type { Logger } from 'pino';

const HOUR_MS = 60 * 60 * 1000;

/** Does some work at once and then every hour, until it is closed. An error is logged, and ends nothing. */
export class HourlyJob {
  #work: () => Promise<void>;
  #log: Logger;
  #timer: NodeJS.Timeout;
  #working: Promise<void>;

  constructor(log: Logger, work: () => Promise<void>) {
    this.#work = work;
    this.#log = log;
    this.#working = this.#pass();
    this.#timer = setInterval(() => {
      this.#working = this.#working.then(() => this.#pass());
    }, HOUR_MS);
  }

  /** Stops the job after the current pass. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }

  async #pass(): Promise<void> {
    try {
      await this.#work();
    } catch (error) {
      this.#log.warn({ err: error }, 'Could not tidy up.');
    }
  }
}
