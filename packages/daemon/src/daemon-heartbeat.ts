import { hostname } from 'node:os';
import { VERSION } from '@baton/protocol';
import type { DaemonRow, Store } from '@baton/store';
import type { Logger } from 'pino';

const BEAT_MS = 10_000;
/** Two signs of life may get lost. */
const SILENT_MS = 3 * BEAT_MS;

type PresenceOptions = {
  store: Store;
  log: Logger;
  daemonId: string;
  url: string;
  slots: number;
};

/** Keeps the row of this daemon alive while it runs. */
export class Presence {
  #options: PresenceOptions;
  #startedAt: number;
  #timer: NodeJS.Timeout;
  #beating: Promise<void>;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#startedAt = options.store.now();
    this.#beating = this.#beat();
    this.#timer = setInterval(() => {
      this.#beating = this.#beating.then(() => this.#beat());
    }, BEAT_MS);
  }

  /** Settles when the others can see this daemon. */
  ready(): Promise<void> {
    return this.#beating;
  }

  /** Says goodbye. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    const { store, daemonId, log } = this.#options;
    await store.records.daemons
      .remove({ daemon_id: daemonId })
      .catch((error) => log.warn({ err: error }, 'Could not deregister this daemon.'));
  }

  /** Writes a heartbeat. An error is ignored: the database may be available again for the next one. */
  async #beat(): Promise<void> {
    const { store, daemonId, url, slots, log } = this.#options;
    const row: DaemonRow = {
      daemon_id: daemonId,
      host: hostname(),
      url,
      version: VERSION,
      slots,
      started_at: this.#startedAt,
      heartbeat_at: store.now(),
    };
    await store.records.daemons
      .put(row)
      .catch((error) => log.warn({ err: error }, 'Could not record the heartbeat of this daemon.'));
  }
}

/** True if a daemon has sent a heartbeat recently. */
export function isAlive({ heartbeat_at }: DaemonRow, now: number): boolean {
  return now - heartbeat_at < SILENT_MS;
}
