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
import type { MessageQueue } from './queue/message-queue.ts';
import { readButton } from './requests/button-values.ts';
import type { ChatRequests } from './requests/chat-requests.ts';
import { fitMessage } from './text/fit-message.ts';
import { stableId } from './text/stable-id.ts';

/** A longer message is not a prompt that a person wrote; files are for that. */
const MAX_TEXT = 100_000;
/** Minimum interval of notices about too many messages, per channel. */
const NOTICE_MS = 60_000;
/** Maximum number of remembered strangers, each of whom is logged once. */
const MAX_STRANGERS = 10_000;
/** Number of remembered messages, so that a late duplicate is neither a command nor an answer again. */
const MAX_HANDLED = 1000;
/** As long as Discord allows for a nonce. */
const NONCE_LENGTH = 25;

const NOT_ALLOWED = 'You are not allowed to use this agent.';
const FAILED = 'This did not work. Try again, or see the log of the gateway.';

type InboxOptions = {
  adapter: ChannelAdapter;
  access: AccessRules;
  /** True if users must mention the bot in channels. */
  requiresMention: boolean;
  queue: Pick<MessageQueue, 'push' | 'retry'>;
  requests: Pick<ChatRequests, 'opened' | 'press' | 'type'>;
  log: GatewayLog;
  now(): number;
  /** The last message of each channel that was stored or handled. */
  lastMessages(): Promise<ReadonlyMap<string, string>>;
  /** Remembers a message that is not stored, so that it is not fetched again. */
  seen(channelId: string, messageId: string): Promise<void>;
  target(channelId: string): CommandTarget;
  onEnd(error?: Error): void;
};

/** Accepts messages, presses and commands of one platform from allowed users. */
export class Inbox implements ChannelReceiver {
  readonly commands = COMMAND_DESCRIPTIONS;
  #options: InboxOptions;
  #strangers = new Set<string>();
  #noticedAt = new Map<string, number>();
  /** The last messages that were taken, the oldest first. */
  #handled = new Set<string>();
  /** Resolves with the first catch-up: a message stored before it would hide the missed ones. */
  #firstCatchUp = Promise.withResolvers<void>();
  /** New messages wait until the missed ones are stored, so that they stay in order. */
  #caughtUp: Promise<void> = Promise.resolve();
  /** Set while a catch-up is about to begin, so that another gap needs no further one. */
  #isPlanned = false;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Fetches the messages sent while the gateway was not connected. */
  catchUp(): Promise<void> {
    if (this.#isPlanned) return this.#caughtUp;
    this.#isPlanned = true;
    this.#caughtUp = this.#caughtUp.then(() => {
      this.#isPlanned = false;
      return this.#fetchMissed();
    });
    this.#firstCatchUp.resolve(this.#caughtUp);
    return this.#caughtUp;
  }

  /** True if the gateway responds to a sender; others are ignored, and logged once. */
  allows(sender: Sender): boolean {
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

  async onMessage(message: IncomingMessage): Promise<void> {
    await this.#firstCatchUp.promise;
    await this.#caughtUp;
    await this.#take(message);
  }

  async onPress(press: ButtonPress): Promise<void> {
    await this.#guarded('a button', async () => {
      if (!this.allows(press)) return press.acknowledge(NOT_ALLOWED);
      return press.acknowledge(await this.#pressed(press));
    });
  }

  async onCommand(command: IncomingCommand): Promise<void> {
    await this.#guarded(`/${command.name}`, async () => {
      if (!this.allows(command)) return command.respond(NOT_ALLOWED, { onlyToUser: true });
      return command.respond(await this.#run(command, command.channelId));
    });
  }

  onGap(): void {
    void this.catchUp();
  }

  onEnd(error?: Error): void {
    this.#options.onEnd(error);
  }

  /** Handles a press of an allowed user, and returns the reply for this user. */
  async #pressed(press: ButtonPress): Promise<string | undefined> {
    const { queue, requests, log } = this.#options;
    const button = readButton(press.value);
    if (button?.kind === 'request') {
      await requests.opened(button.key);
      const isOpen = requests.press(press, button.key, button.choice);
      return isOpen ? undefined : 'This request has expired.';
    }
    if (button?.kind !== 'retry') return 'This button no longer works.';
    try {
      const isQueued = await queue.retry(press.channelId, button.messageId);
      return isQueued ? 'Running it again.' : 'This message was already run again, or is too old.';
    } catch (error) {
      log.warn(`A message could not be run again: ${messageOf(error)}`);
      return FAILED;
    }
  }

  /** Carries out a command of an allowed user, and returns the reply. */
  async #run(command: { name: string; argument: string }, channelId: string): Promise<string> {
    const { adapter, target, log } = this.#options;
    try {
      return fitMessage(await runCommand(command, target(channelId)), adapter);
    } catch (error) {
      log.warn(`/${command.name} failed: ${messageOf(error)}`);
      return FAILED;
    }
  }

  async #fetchMissed(): Promise<void> {
    const { adapter, lastMessages, log } = this.#options;
    try {
      for (const [channelId, messageId] of await lastMessages()) {
        if (!channelId.startsWith(`${adapter.platform}:`)) continue;
        await this.#fetchAfter(channelId, messageId);
      }
    } catch (error) {
      log.warn(`Cannot fetch missed messages: ${messageOf(error)}`);
    }
  }

  /** A channel that cannot be read must not hold up the others, nor new messages. */
  async #fetchAfter(channelId: string, messageId: string): Promise<void> {
    const { adapter, seen, log } = this.#options;
    let last = messageId;
    try {
      for await (const message of adapter.messagesAfter(channelId, messageId)) {
        await this.#take(message);
        last = message.messageId;
      }
      // Otherwise what strangers wrote would be fetched again and again.
      if (last !== messageId) await seen(channelId, last);
    } catch (error) {
      const reason = messageOf(error);
      log.warn(`Messages in ${channelId} after ${last} could not be fetched: ${reason}`);
    }
  }

  async #take(message: IncomingMessage): Promise<void> {
    const { queue, requests, seen } = this.#options;
    const { channelId, messageId, userId, text, files } = message;
    if (!this.allows(message)) return;
    if (text.trim() === '' && files.length === 0) return;
    if (this.#handled.has(handledKey(message))) return;
    // Commands and answers are for the gateway without a mention too.
    const isForAgent = !this.#options.requiresMention || message.isAddressed !== false;
    if (text.length > MAX_TEXT) {
      if (!isForAgent) return;
      await seen(channelId, messageId);
      return this.#notice(message, 'This message is too long. Send it as a file.');
    }
    const command = commandIn(text);
    if (command) {
      await seen(channelId, messageId);
      this.#remember(message);
      const reply = await this.#run(command, channelId);
      return this.#guarded(`/${command.name}`, () => this.#send(message, reply));
    }
    if (requests.type(message)) {
      this.#remember(message);
      return seen(channelId, messageId);
    }
    if (!isForAgent) return;
    const stored = await queue.push({ channelId, messageId, userId, text, files });
    this.#remember(message);
    if (stored === 'rejected') {
      await this.#notice(message, 'Too many messages are waiting. Send this one again later.');
    }
  }

  #remember(message: IncomingMessage): void {
    this.#handled.add(handledKey(message));
    for (const oldest of this.#handled) {
      if (this.#handled.size <= MAX_HANDLED) return;
      this.#handled.delete(oldest);
    }
  }

  /** Informs users about their message, but does not let a flood of messages cause a flood of notices. */
  async #notice(message: IncomingMessage, text: string): Promise<void> {
    const now = this.#options.now();
    for (const [channelId, at] of this.#noticedAt) {
      if (now - at >= NOTICE_MS) this.#noticedAt.delete(channelId);
    }
    if (this.#noticedAt.has(message.channelId)) return;
    this.#noticedAt.set(message.channelId, now);
    await this.#guarded('a notice', () => this.#send(message, text));
  }

  async #send({ channelId, messageId }: IncomingMessage, text: string): Promise<void> {
    const { adapter } = this.#options;
    const nonce = stableId([channelId, messageId, 'notice'], NONCE_LENGTH);
    await adapter.send(channelId, { text, replyTo: messageId }, nonce);
  }

  async #guarded(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#options.log.warn(`Cannot answer ${what}: ${messageOf(error)}`);
    }
  }
}

function handledKey({ channelId, messageId }: IncomingMessage): string {
  return JSON.stringify([channelId, messageId]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
