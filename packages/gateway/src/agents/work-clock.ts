import { longTimer } from '@baton/protocol';

/** Measures how long an agent works, without the time in which people are asked, and calls back once at a limit. */
export class WorkClock {
  #leftMs: number;
  #onLimit: () => void;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #now: () => number;

  /** @param limitMs 0 for no limit */
  constructor(limitMs: number, onLimit: () => void, now: () => number = Date.now) {
    this.#leftMs = limitMs === 0 ? Number.POSITIVE_INFINITY : limitMs;
    this.#onLimit = onLimit;
    this.#now = now;
  }

  start(): void {
    if (this.#timer !== undefined || this.#leftMs === Number.POSITIVE_INFINITY) return;
    this.#startedAt = this.#now();
    this.#timer = longTimer(() => this.#ring(), Math.max(this.#leftMs, 0));
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= this.#now() - this.#startedAt;
  }

  /** A timer rings early if its time is longer than a timer can take. */
  #ring(): void {
    this.pause();
    if (this.#leftMs > 0) return this.start();
    this.#leftMs = Number.POSITIVE_INFINITY;
    this.#onLimit();
  }
}
