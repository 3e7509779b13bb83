import type { WarningLog } from '@baton/contracts';
import { delay, type RequestAnswer } from '@baton/protocol';
import type { ButtonPress, IncomingMessage } from '../channel-adapter.ts';
import type { Sender } from '../config/access.ts';
import { type RequestPlace, TurnRequests } from './turn-requests.ts';

export type ChatRequestsOptions = {
  /** Time limit for an answer; 0 for no limit. */
  timeoutMs: number;
  /** A request that is settled sooner, such as by a rule of the daemon, is not shown. */
  showAfterMs: number;
  /**
   * Maximum time that a press waits for its request to open: after a restart, runs of a daemon are joined one by one.
   */
  reopenMs?: number | undefined;
  log: WarningLog;
};

/** Answer of a user: to the whole request, or options or text for one of its questions. */
export type Taken = { answer: RequestAnswer } | { options: string[] };

/** A message with buttons that waits for a press or a text. */
export type OpenMessage = {
  readonly channelId: string;
  /** False for the id of another message. */
  isMessage(messageId: string): boolean;
  /** Returns the answer for a pressed choice; undefined if the choice is no answer. */
  choose(choice: string, messageId: string): Taken | undefined;
  /** Returns the answer for a typed text; undefined if the text is no answer. */
  type?(text: string): Taken | undefined;
  take(taken: Taken, by: Sender): void;
};

/** The open messages, by the key in the values of their buttons. */
export class OpenMessages extends Map<string, OpenMessage> {
  #awaited = new Map<string, PromiseWithResolvers<void>>();

  override set(key: string, message: OpenMessage): this {
    super.set(key, message);
    this.#awaited.get(key)?.resolve();
    return this;
  }

  /** Waits for a message that is not open yet. */
  async until(key: string, milliseconds: number): Promise<void> {
    if (this.has(key) || milliseconds === 0) return;
    const opened = this.#awaited.get(key) ?? Promise.withResolvers<void>();
    this.#awaited.set(key, opened);
    const over = new AbortController();
    await Promise.race([opened.promise, delay(milliseconds, over.signal)]);
    over.abort();
    this.#awaited.delete(key);
  }
}

/** Asks the users in the chat: permission requests and questions become messages with buttons. */
export class ChatRequests {
  #options: ChatRequestsOptions;
  #open = new OpenMessages();

  constructor(options: ChatRequestsOptions) {
    this.#options = options;
  }

  /** The requests of one run. */
  forTurn(place: RequestPlace): TurnRequests {
    return new TurnRequests(place, this.#open, this.#options);
  }

  /** Waits for a request whose run may be about to be joined again. */
  opened(key: string): Promise<void> {
    return this.#open.until(key, this.#options.reopenMs ?? 0);
  }

  /** Takes a press of an allowed user; false if the request is no longer open. */
  press(press: ButtonPress, key: string, choice: string): boolean {
    const open = this.#open.get(key);
    if (!open || open.channelId !== press.channelId) return false;
    if (!open.isMessage(press.messageId)) return false;
    const taken = open.choose(choice, press.messageId);
    if (taken) open.take(taken, press);
    return true;
  }

  /** Takes a message of an allowed user as the answer to an open question of the channel; false if there is none. */
  type(message: IncomingMessage): boolean {
    // An answer has no files: a message with some is for the agent.
    if (message.files.length > 0) return false;
    for (const open of this.#open.values()) {
      if (open.channelId !== message.channelId) continue;
      const taken = open.type?.(message.text.trim());
      if (!taken) continue;
      open.take(taken, message);
      return true;
    }
    return false;
  }
}
