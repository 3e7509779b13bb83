type SilenceOptions = {
  leaseMs: number;
  /** A monotonic clock: a step of the system time neither keeps dead executors nor loses live ones. */
  now?: () => number;
};

type Seen = { mark: string; since: number };

/**
 * Tells for how long executors have been silent, as far as this daemon could have heard them. Each of them shows a mark
 * that changes whenever it is heard; its silence counts from the first look that saw the current mark.
 */
export class SilenceWatch {
  #leaseMs: number;
  #now: () => number;
  #lookedAt: number;
  #before = new Map<string, Seen>();
  #seen = new Map<string, Seen>();

  constructor({ leaseMs, now = () => performance.now() }: SilenceOptions) {
    this.#leaseMs = leaseMs;
    this.#now = now;
    this.#lookedAt = now();
  }

  /** Starts a scan; three are due per lease. After a longer pause this daemon could not receive heartbeats either. */
  look(): void {
    const now = this.#now();
    const wasAway = now - this.#lookedAt > (2 / 3) * this.#leaseMs;
    this.#lookedAt = now;
    this.#before = wasAway ? new Map() : this.#seen;
    this.#seen = new Map();
  }

  /** For how many milliseconds an executor has shown the same mark. */
  silentFor(key: string, mark: string): number {
    const known = this.#before.get(key);
    const seen = known?.mark === mark ? known : { mark, since: this.#now() };
    this.#seen.set(key, seen);
    return this.#now() - seen.since;
  }

  /** No heartbeat was possible until now, so all silence restarts at the next scan. */
  restart(): void {
    this.#seen.clear();
  }
}
