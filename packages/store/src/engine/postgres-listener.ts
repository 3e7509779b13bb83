import pg from 'pg';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/** Receives the notifications of one channel, through a separate connection that reconnects. */
export class PostgresListener {
  #settings: pg.ClientConfig;
  #channel: string;
  #client: pg.Client | undefined;
  #hear: (message: string) => void = () => {};
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(settings: pg.ClientConfig, channel: string) {
    this.#settings = settings;
    this.#channel = channel;
  }

  async listen(hear: (message: string) => void): Promise<void> {
    this.#hear = hear;
    await this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(this.#settings);
    this.#client = client;
    client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
    client.on('error', () => {});
    client.once('end', () => this.#again(client));
    await client.connect();
    await client.query(`listen ${this.#channel}`);
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  /** Whatever was told in between is not heard: an empty message says that anything may have happened. */
  #again(lost: pg.Client): void {
    if (this.#closed || lost !== this.#client || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#connect().then(
        () => this.#hear(''),
        () => this.#again(this.#client ?? lost),
      );
    }, this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }
}
