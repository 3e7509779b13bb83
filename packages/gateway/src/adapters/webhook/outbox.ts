import { randomUUID } from 'node:crypto';
import type { Button, OutgoingMessage, SentFile } from '../../channel-adapter.ts';
import { readButton } from '../../requests/button-values.ts';

const MAX_MESSAGES = 5000;
const MAX_BYTES = 64 * 1024 * 1024;

type Kept = OutgoingMessage & {
  readonly channelId: string;
  readonly nonce: string;
  /** Set once a program has received its buttons. */
  isReported?: boolean;
};

/** A permission request or a question that a program can answer. */
export type OpenRequest = {
  readonly message: string;
  /** The message whose run asks, if the gateway names it. */
  readonly replyTo?: string | undefined;
  readonly text: string;
  readonly buttons: readonly Pick<Button, 'label' | 'value'>[];
};

/** The last messages of the gateway, for requests and files. Answers are read from the store instead. */
export class Outbox {
  /** By id, the oldest first. */
  #messages = new Map<string, Kept>();
  #ids = new Map<string, string>();
  #bytes = 0;

  /** Stores a message and returns its id; idempotent by nonce. */
  add(channelId: string, message: OutgoingMessage, nonce: string): string {
    const key = JSON.stringify([channelId, nonce]);
    const before = this.#ids.get(key);
    if (before !== undefined) return before;
    const id = randomUUID();
    this.#ids.set(key, id);
    this.#set(id, { ...message, channelId, nonce: key });
    return id;
  }

  /** Changes a message, or adds it if it was dropped or was sent by an earlier process. */
  edit(
    channelId: string,
    id: string,
    { text, buttons, isDraft }: Pick<OutgoingMessage, 'text' | 'buttons' | 'isDraft'>,
  ): void {
    const known = this.#messages.get(id) ?? { channelId, nonce: '' };
    if (known.channelId !== channelId) return;
    this.#set(id, { ...known, text, buttons, isDraft, isReported: false });
  }

  /** The messages with buttons of a channel. A draft is an answer in progress, so its buttons are no request. */
  requestsIn(channelId: string): OpenRequest[] {
    return this.#in(channelId).flatMap(([message, { text, buttons = [], isDraft, replyTo }]) => {
      const all = buttons.flat().map(({ label, value }) => ({ label, value }));
      return all.length === 0 || isDraft ? [] : [{ message, replyTo, text, buttons: all }];
    });
  }

  /** True if a run of a channel waits on a request that no program has received yet. */
  hasUnreported(channelId: string): boolean {
    return this.#awaited(channelId).some((each) => !this.#messages.get(each.message)?.isReported);
  }

  /** Returns the open requests of a channel's runs, and marks them as reported. */
  reportRequests(channelId: string): OpenRequest[] {
    const requests = this.#awaited(channelId);
    for (const { message } of requests) {
      const kept = this.#messages.get(message);
      if (kept) kept.isReported = true;
    }
    return requests;
  }

  /** Returns the replies to a message, without drafts. */
  repliesTo(channelId: string, messageId: string): OutgoingMessage[] {
    return this.#in(channelId).flatMap(([, message]) =>
      message.replyTo === messageId && !message.isDraft ? [message] : [],
    );
  }

  /** Returns the requests that a run waits for. A retry button is not one: a failed message reports its own retry. */
  #awaited(channelId: string): OpenRequest[] {
    const isRetry = ({ value }: Pick<Button, 'value'>) => readButton(value)?.kind === 'retry';
    return this.requestsIn(channelId).filter(({ buttons }) => !buttons.every(isRetry));
  }

  #in(channelId: string): [string, Kept][] {
    return [...this.#messages].filter(([, message]) => message.channelId === channelId);
  }

  #set(id: string, message: Kept): void {
    const before = this.#messages.get(id);
    if (before) this.#bytes -= sizeOf(before);
    this.#messages.set(id, message);
    this.#bytes += sizeOf(message);
    for (const [oldest, { nonce }] of this.#messages) {
      if (this.#messages.size <= MAX_MESSAGES && this.#bytes <= MAX_BYTES) return;
      this.#bytes -= sizeOf(this.#messages.get(oldest));
      this.#messages.delete(oldest);
      this.#ids.delete(nonce);
    }
  }
}

function sizeOf(message: Kept | undefined): number {
  const files: readonly SentFile[] = message?.files ?? [];
  return files.reduce(
    (sum, { content }) => sum + content.byteLength,
    2 * (message?.text.length ?? 0),
  );
}
