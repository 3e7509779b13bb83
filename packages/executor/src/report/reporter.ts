import { setTimeout as pause } from 'node:timers/promises';
import { type AgentEvent, BatonError, withRetry } from '@baton/protocol';
import type { Spool } from './spool.ts';

export type ReporterOptions = {
  spool: Spool;
  /** Gives events to the daemon, and tells the number of the last one that it has. */
  send(events: readonly AgentEvent[]): Promise<{ lastSeq: number }>;
  /** Called once each time the daemon stops accepting events. */
  onTrouble?: () => void;
  firstPauseMs?: number;
  longestPauseMs?: number;
};

/** Errors after which it makes no sense to try again. */
const FINAL: ReadonlySet<string> = new Set([
  'forbidden',
  'lease_lost',
  'not_found',
  'unauthenticated',
  'usage',
]);

/** Reports the events of a run to the daemon: in order, in batches, again and again until they are confirmed. */
export class Reporter {
  #options: ReporterOptions;
  #firstPauseMs: number;
  #longestPauseMs: number;
  #working: Promise<void> | undefined;
  #failure: BatonError | undefined;
  #moved = Promise.withResolvers<void>();

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#firstPauseMs = options.firstPauseMs ?? 100;
    this.#longestPauseMs = options.longestPauseMs ?? 5000;
  }

  /** Settles when the event is in the spool; a full spool applies backpressure. */
  async report(event: AgentEvent): Promise<void> {
    while (!this.#options.spool.append(event)) {
      this.#start();
      await Promise.race([
        this.#moved.promise,
        pause(this.#longestPauseMs, undefined, { ref: false }),
      ]);
      this.#check();
    }
    this.#check();
    this.#start();
  }

  /** Settles when the daemon has everything. */
  async flush(): Promise<void> {
    this.#start();
    while (this.#working) await this.#working;
    this.#check();
  }

  #check(): void {
    if (this.#failure) throw this.#failure;
  }

  #start(): void {
    if (this.#failure || this.#options.spool.isEmpty) return;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    const { spool } = this.#options;
    while (!spool.isEmpty && !this.#failure) {
      await withRetry(() => this.#sendNext(), {
        attempts: Number.POSITIVE_INFINITY,
        baseMs: this.#firstPauseMs,
        maxMs: this.#longestPauseMs,
        isTransient: (problem) => problem !== undefined && !this.#failure,
        onRetry: (_problem, attempt) => {
          if (attempt === 1) this.#options.onTrouble?.();
        },
      });
    }
  }

  /** Sends what comes after the last confirmed event; gives what went wrong. */
  async #sendNext(): Promise<unknown> {
    this.#options.spool.rewind();
    const batch = this.#options.spool.next();
    if (!batch) return undefined;
    try {
      const { lastSeq } = await this.#options.send(batch.events);
      if (lastSeq < batch.lastSeq) return new Error('The daemon is missing earlier events.');
    } catch (error) {
      if (BatonError.is(error) && FINAL.has(error.code)) this.#failure = error;
      this.#wake();
      return error;
    }
    this.#options.spool.confirm(batch);
    this.#wake();
    return undefined;
  }

  #wake(): void {
    this.#moved.resolve();
    this.#moved = Promise.withResolvers();
  }
}
