import { BatonError } from '@baton/protocol';

type Attempts = { count: number; until: number };

/** Counts attempts by key, and rejects more than a number of them within a time window. */
export class RateLimit {
  #most: number;
  #perMs: number;
  #now: () => number;
  #attempts = new Map<string, Attempts>();

  constructor({ most, perMs, now }: { most: number; perMs: number; now: () => number }) {
    this.#most = most;
    this.#perMs = perMs;
    this.#now = now;
  }

  /** Counts an attempt; throws when there were too many. */
  count(key: string, most = this.#most): void {
    const { count, until } = this.note(key);
    if (count <= most) return;
    const seconds = Math.ceil((until - this.#now()) / 1000);
    throw new BatonError('too_many_requests', `Too many attempts. Try again in ${seconds} s.`);
  }

  /** Counts an attempt, and returns the number of attempts so far. */
  note(key: string): Attempts {
    const now = this.#now();
    this.#forgetOld(now);
    const attempts = this.#attempts.get(key) ?? { count: 0, until: now + this.#perMs };
    attempts.count += 1;
    this.#attempts.set(key, attempts);
    return attempts;
  }

  /** True if there were more attempts than the limit allows. */
  isExceeded(key: string): boolean {
    this.#forgetOld(this.#now());
    return (this.#attempts.get(key)?.count ?? 0) > this.#most;
  }

  /** Forgets the attempts of a key that has succeeded. */
  clear(key: string): void {
    this.#attempts.delete(key);
  }

  #forgetOld(now: number): void {
    for (const [key, { until }] of this.#attempts) {
      if (until > now) return;
      this.#attempts.delete(key);
    }
  }
}
