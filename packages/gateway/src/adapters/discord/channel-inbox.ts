import { Backoff, type delay } from '@baton/protocol';
import type { ChannelReceiver, IncomingMessage } from '../../channel-adapter.ts';

/** More messages than this are not held for a channel: they are fetched again after the gap. */
const MAX_WAITING = 100;

type ChannelInboxOptions = {
  receiver: Pick<ChannelReceiver, 'onMessage' | 'onGap'>;
  signal: AbortSignal;
  warn(message: string): void;
  /** Pauses; for tests. */
  sleep?: typeof delay | undefined;
};

type Channel = { waiting: IncomingMessage[]; missedSome: boolean };

/**
 * Hands over the messages of each channel in order, each after the one before was taken. A message that was rejected is
 * handed over again, with backoff, before those that follow it: otherwise the gateway would remember a later message as
 * the last one of the channel, and would never fetch this one.
 */
export class ChannelInbox {
  #options: ChannelInboxOptions;
  /** Only channels with messages that are not yet taken. */
  #channels = new Map<string, Channel>();

  constructor(options: ChannelInboxOptions) {
    this.#options = options;
  }

  add(message: IncomingMessage): void {
    const channel = this.#channels.get(message.channelId);
    if (!channel) {
      const started: Channel = { waiting: [message], missedSome: false };
      this.#channels.set(message.channelId, started);
      void this.#handOver(message.channelId, started);
      return;
    }
    if (channel.waiting.length >= MAX_WAITING) {
      channel.missedSome = true;
      return;
    }
    channel.waiting.push(message);
  }

  async #handOver(channelId: string, channel: Channel): Promise<void> {
    const { receiver, signal, sleep } = this.#options;
    const backoff = new Backoff({ baseMs: 1000, maxMs: 60_000, signal, sleep });
    for (;;) {
      const message = channel.waiting[0];
      if (!message || signal.aborted) break;
      if (await this.#isTaken(message)) {
        channel.waiting.shift();
        backoff.reset();
        continue;
      }
      channel.missedSome = true;
      if (!(await backoff.wait())) break;
    }
    this.#channels.delete(channelId);
    // What could not be stored here could probably not be stored elsewhere either.
    if (channel.missedSome && !signal.aborted) receiver.onGap();
  }

  async #isTaken(message: IncomingMessage): Promise<boolean> {
    const { receiver, warn } = this.#options;
    try {
      await receiver.onMessage(message);
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      warn(`Message ${message.messageId} was not stored and is handed over again: ${reason}`);
      return false;
    }
  }
}
