import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';

/** The number of heartbeats within a lease. */
const PER_LEASE = 4;
/** The heartbeat interval while the agent is being stopped. */
const CONFIRM_EVERY_MS = 500;

/** After one of these errors the task no longer belongs to this executor. */
const LOST: ReadonlySet<string> = new Set(['lease_lost', 'unauthenticated']);

/** Sends heartbeats, which prove that the executor is alive and report how long its agent has been idle. */
export class Heartbeat {
  #client: BatonClient;
  #onLost: () => void;
  #timer: NodeJS.Timeout;
  #progressAt = performance.now();
  #isBeating = false;
  #isStopping = false;
  #unwatch: () => void;

  constructor(client: BatonClient, leaseMs: number, onLost: () => void) {
    this.#client = client;
    this.#onLost = onLost;
    this.#timer = setInterval(() => void this.#beat(), leaseMs / PER_LEASE);
    let wasUp = true;
    // It may have taken half of the lease to notice that the connection was lost.
    this.#unwatch = client.connection.watch((isUp) => {
      if (isUp && !wasUp) void this.#beat();
      wasUp = isUp;
    });
  }

  /** The agent did something. */
  progress(): void {
    this.#progressAt = performance.now();
  }

  /** Reports that the agent is being stopped; the daemon kills an executor that does not confirm a stop. */
  confirmStop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => void this.#beat(), CONFIRM_EVERY_MS);
    void this.#beat();
  }

  /** True once `confirmStop` was called. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#unwatch();
  }

  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      const { token, stop } = await this.#client.executors.heartbeat({
        idle_ms: this.#idleMs(),
        ...(this.#isStopping ? { stopping: true } : {}),
      });
      if (token !== undefined) this.#client.connection.showToken(token);
      if (stop) this.#onLost();
    } catch (error) {
      // A daemon that cannot be reached is not a lost lease: it may come back and still know us.
      if (BatonError.is(error) && LOST.has(error.code)) this.#onLost();
    } finally {
      this.#isBeating = false;
    }
  }

  #idleMs(): number {
    return Math.round(performance.now() - this.#progressAt);
  }
}
