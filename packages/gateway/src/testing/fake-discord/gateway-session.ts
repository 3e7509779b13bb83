/** Bits of the intents that the stand-in knows. */
export const INTENT = {
  guilds: 1 << 0,
  guildMessages: 1 << 9,
  directMessages: 1 << 12,
  messageContent: 1 << 15,
} as const;

/** Every intent that exists. */
export const KNOWN_INTENTS = (1 << 26) - 1;

type Dispatch = { op: 0; t: string; s: number; d: unknown };

/** Session of an identified bot. It outlives its connection, so that the bot can resume. */
export class Session {
  readonly id: string;
  #intents: number;
  #sequence = 0;
  #events: Dispatch[] = [];
  #send: ((payload: Dispatch) => void) | undefined;

  constructor(id: string, intents: number) {
    this.id = id;
    this.#intents = intents;
  }

  get sequence(): number {
    return this.#sequence;
  }

  has(intent: number): boolean {
    return (this.#intents & intent) !== 0;
  }

  attach(send: (payload: Dispatch) => void): void {
    this.#send = send;
  }

  detach(): void {
    this.#send = undefined;
  }

  dispatch(type: string, data: unknown): void {
    this.#sequence += 1;
    const event: Dispatch = { op: 0, t: type, s: this.#sequence, d: data };
    this.#events.push(event);
    this.#send?.(event);
  }

  /** Sends the events after a sequence number. */
  replay(sequence: number): void {
    for (const event of this.#events.filter(({ s }) => s > sequence)) this.#send?.(event);
  }
}
