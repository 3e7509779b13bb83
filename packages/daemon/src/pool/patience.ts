export type PatienceOptions = { leaseMs: number; now: () => number };

/** Tells whether the silence of executors means anything: not while nobody could have heard them, nor for a lease after that. */
export class Patience {
  #leaseMs: number;
  #now: () => number;
  #until: number;
  #lookedAt: number;

  constructor({ leaseMs, now }: PatienceOptions) {
    this.#leaseMs = leaseMs;
    this.#now = now;
    this.#lookedAt = now();
    this.#until = now() + leaseMs;
  }

  /** Whether silence means nothing now. To be asked three times in a lease: whoever did not has slept, like its machine. */
  look(): boolean {
    const now = this.#now();
    if (now - this.#lookedAt > (2 / 3) * this.#leaseMs) this.renew();
    this.#lookedAt = now;
    return now < this.#until;
  }

  /** Nobody could be heard until now. */
  renew(): void {
    this.#until = this.#now() + this.#leaseMs;
  }
}
