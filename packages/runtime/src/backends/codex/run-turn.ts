import type { AppServerClient } from './app-server-client.ts';

type Turn = { threadId: string; id?: string | undefined; hasBegun: boolean };

/** The turn of a run. What is to be done with it waits until it has begun, because Codex refuses it before. */
export class RunTurn {
  /** Whether a person refused something for good and so ended the turn. */
  refused = false;
  #client: AppServerClient;
  #turn: Turn | undefined;
  #toSteer: string[] = [];
  #toInterrupt = false;

  constructor(client: AppServerClient) {
    this.#client = client;
  }

  /** Whether a turn was asked for and has not ended. */
  get isOpen(): boolean {
    return this.#turn !== undefined;
  }

  /** Whether a turn is the one of the run: Codex may begin turns of its own. */
  is(turnId: unknown): boolean {
    return this.#turn !== undefined && (turnId ?? this.#turn.id) === (this.#turn.id ?? turnId);
  }

  /** A turn was asked for. */
  ask(threadId: string): void {
    this.refused = false;
    this.#turn = { threadId, hasBegun: false };
  }

  /** Codex has named the turn. */
  name(turnId: string | undefined): void {
    if (this.#turn) this.#turn.id = turnId;
  }

  /** The turn has begun. */
  begin(threadId: string, turnId: string | undefined): void {
    this.#turn = { threadId, id: turnId, hasBegun: true };
    if (this.#toInterrupt) return void this.interrupt();
    for (const text of this.#toSteer.splice(0)) this.steer(text);
  }

  /** The turn is over; what was to be done with it is void. */
  end(): void {
    this.#turn = undefined;
    this.#toSteer = [];
    this.#toInterrupt = false;
  }

  /** Gives the turn more to consider. */
  steer(text: string): void {
    const { threadId, id: turnId, hasBegun } = this.#turn ?? {};
    if (threadId !== undefined && hasBegun) this.#client.steer({ threadId, turnId }, text);
    else this.#toSteer.push(text);
  }

  /** Ends the turn; false when there is none. */
  interrupt(): boolean {
    if (!this.#turn) return false;
    const { threadId, id: turnId, hasBegun } = this.#turn;
    if (hasBegun) this.#client.interrupt({ threadId, turnId });
    else this.#toInterrupt = true;
    return true;
  }
}
