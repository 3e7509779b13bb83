import { BatonError } from '@baton/protocol';
import type {
  ButtonPress,
  ChannelAdapter,
  ChannelReceiver,
  IncomingCommand,
  IncomingMessage,
} from './channel-adapter.ts';
import {
  COMMAND_DESCRIPTIONS,
  type CommandTarget,
  commandIn,
  runCommand,
} from './commands/chat-commands.ts';
import { type AccessRules, isAllowed, type Sender } from './config/access.ts';
import type { GatewayLog } from './gateway-log.ts';
import type { EventQueue } from './queue/event-queue.ts';
import { readButton } from './requests/button-values.ts';
import type { ChatRequests } from './requests/chat-requests.ts';

/** A longer message is not a prompt that a person wrote; files are for that. */
const MAX_TEXT = 100_000;
/** People who send too much are told so at most this often per channel. */
const NOTICE_MS = 60_000;
/** Of how many strangers the gateway remembers that they were logged. */
const MAX_STRANGERS = 10_000;

const NOT_ALLOWED = 'You are not allowed to use this agent.';

export type InboxOptions = {
  adapter: ChannelAdapter;
  access: AccessRules;
  queue: EventQueue;
  requests: ChatRequests;
  log: GatewayLog;
  now(): number;
  /** The last message of each channel that was stored or handled. */
  lastMessages(): Promise<ReadonlyMap<string, string>>;
  /** Remembers a message that is not stored, so that it is not fetched again. */
  seen(channelId: string, messageId: string): Promise<void>;
  target(channelId: string): CommandTarget;
  onEnd(error?: Error): void;
};

/** Takes what arrives from one platform, if it comes from an allowed user. */
export class Inbox implements ChannelReceiver {
  readonly commands = COMMAND_DESCRIPTIONS;
  #options: InboxOptions;
  #strangers = new Set<string>();
  #noticedAt = new Map<string, number>();
  /** New messages wait until those that were missed are stored, so that they keep their order. */
  #caughtUp: Promise<void> = Promise.resolve();
  #isFetching = false;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Fetches what was sent while the gateway was not connected. */
  catchUp(): Promise<void> {
    const fetched = this.#caughtUp.then(() => this.#fetchMissed());
    // What could not be fetched is fetched with the next gap or start; it must not hold up new messages.
    this.#caughtUp = fetched.catch((error: unknown) =>
      this.#options.log.warn(`Cannot fetch missed messages: ${messageOf(error)}`),
    );
    return this.#caughtUp;
  }

  async onMessage(message: IncomingMessage): Promise<void> {
    await this.#caughtUp;
    await this.#take(message);
  }

  async onPress(press: ButtonPress): Promise<void> {
    await this.#guarded('a button', async () => {
      if (!this.#allows(press)) return press.acknowledge(NOT_ALLOWED);
      const { queue, requests } = this.#options;
      const button = readButton(press.value);
      if (button?.kind === 'request') {
        const isOpen = await requests.press(press, button.key, button.choice);
        return press.acknowledge(isOpen ? undefined : 'This request has expired.');
      }
      if (button?.kind !== 'retry') return press.acknowledge('This button no longer works.');
      const isQueued = await queue.retry(press.channelId, button.messageId);
      return press.acknowledge(
        isQueued ? 'Running it again.' : 'This message has already been run again.',
      );
    });
  }

  async onCommand(command: IncomingCommand): Promise<void> {
    await this.#guarded(`/${command.name}`, async () => {
      if (!this.#allows(command)) return command.respond(NOT_ALLOWED, { onlyToUser: true });
      const text = await runCommand(command, this.#options.target(command.channelId));
      return command.respond(text);
    });
  }

  onGap(): void {
    if (!this.#isFetching) void this.catchUp();
  }

  onEnd(error?: Error): void {
    this.#options.onEnd(error);
  }

  async #fetchMissed(): Promise<void> {
    const { adapter, lastMessages } = this.#options;
    this.#isFetching = true;
    try {
      for (const [channelId, messageId] of await lastMessages()) {
        if (!channelId.startsWith(`${adapter.platform}:`)) continue;
        for await (const message of adapter.messagesAfter(channelId, messageId)) {
          await this.#take(message);
        }
      }
    } finally {
      this.#isFetching = false;
    }
  }

  async #take(message: IncomingMessage): Promise<void> {
    const { queue, requests, seen } = this.#options;
    const { channelId, messageId, userId, text, files } = message;
    if (!this.#allows(message)) return;
    if (text.trim() === '' && files.length === 0) return;
    const command = commandIn(text);
    if (command) {
      await seen(channelId, messageId);
      return this.#answerCommand(message, command);
    }
    if (requests.type(message)) return seen(channelId, messageId);
    if (text.length > MAX_TEXT) {
      await seen(channelId, messageId);
      return this.#notice(message, 'This message is too long. Send it as a file.');
    }
    const stored = await queue.push({ channelId, messageId, userId, text, files });
    if (stored === 'rejected') {
      await this.#notice(message, 'Too many messages are waiting. Send this one again later.');
    }
  }

  async #answerCommand(
    message: IncomingMessage,
    command: { name: string; argument: string },
  ): Promise<void> {
    const { target } = this.#options;
    await this.#guarded(`/${command.name}`, async () =>
      this.#send(message, await runCommand(command, target(message.channelId))),
    );
  }

  /** Tells people what became of their message, but does not let a flood of messages cause a flood of notices. */
  async #notice(message: IncomingMessage, text: string): Promise<void> {
    const now = this.#options.now();
    const last = this.#noticedAt.get(message.channelId);
    if (last !== undefined && now - last < NOTICE_MS) return;
    this.#noticedAt.set(message.channelId, now);
    await this.#guarded('a notice', () => this.#send(message, text));
  }

  async #send({ channelId, messageId }: IncomingMessage, text: string): Promise<void> {
    const { adapter } = this.#options;
    await adapter.send(channelId, { text, replyTo: messageId }, `n${messageId}`.slice(-25));
  }

  /** Whether the gateway answers; everyone else is ignored, and logged once. */
  #allows(sender: Sender): boolean {
    const { access, log } = this.#options;
    if (isAllowed(access, sender)) return true;
    const { userId, channelId, guildId, isDirect } = sender;
    const where = isDirect ? 'a direct message' : [channelId, guildId].filter(Boolean).join(' of ');
    const stranger = `${userId} in ${where}`;
    if (this.#strangers.size < MAX_STRANGERS && !this.#strangers.has(stranger)) {
      this.#strangers.add(stranger);
      log.info(`Ignoring ${stranger}: not on the allow-list.`);
    }
    return false;
  }

  async #guarded(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#options.log.warn(`Cannot answer ${what}: ${messageOf(error)}`);
    }
  }
}

function messageOf(error: unknown): string {
  return BatonError.is(error) || error instanceof Error ? error.message : String(error);
}
