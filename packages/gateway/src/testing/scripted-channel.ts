import { BatonError } from '@baton/protocol';
import type {
  Button,
  ChannelAdapter,
  ChannelLimits,
  ChannelReceiver,
  IncomingMessage,
  OutgoingMessage,
  SentFile,
} from '../channel-adapter.ts';
import type { Sender } from '../config/access.ts';
import type { ReceivedFile } from '../queue/gateway-event.ts';
import { MENTIONS, type MentionRules } from '../text/mentions.ts';

export const CHANNEL = 'test:1';
export const USER = 'test:me';

/** The limits of a platform that is quick and has no typing indicator. */
export const LIMITS: ChannelLimits = {
  messageLength: 2000,
  sendIntervalMs: 0,
  editIntervalMs: 1,
  typingMs: 0,
  sentFileBytes: 1_000_000,
  receivedFileBytes: 1_000_000,
  buttonsPerRow: 5,
  buttonRows: 5,
  buttonLabelLength: 80,
  buttonValueBytes: 100,
  acknowledgeMs: 3000,
};

/** A message of the gateway as users see it now. */
type ShownMessage = {
  readonly id: string;
  readonly channelId: string;
  readonly replyTo: string | undefined;
  readonly files: readonly SentFile[];
  text: string;
  buttons: readonly Button[];
  isDraft: boolean;
};

/** A recorded call of the gateway. */
type ChannelCall =
  | { kind: 'send'; channelId: string; text: string; nonce: string; isDraft: boolean }
  | { kind: 'edit'; channelId: string; messageId: string; text: string; isDraft: boolean }
  | { kind: 'typing'; channelId: string }
  | { kind: 'history'; channelId: string }
  | { kind: 'settled'; channelId: string; messageId: string };

type Faulty = 'send' | 'edit' | 'typing' | 'history';
type From = {
  channel?: string;
  user?: string;
  userName?: string;
  guild?: string;
  direct?: boolean;
};

/** The chat itself, which outlives the gateways that connect to it. */
class Chat {
  readonly shown: ShownMessage[] = [];
  readonly history: IncomingMessage[] = [];
  readonly nonces = new Map<string, string>();
  readonly files = new Map<string, Uint8Array>();
  count = 0;

  nextId(): string {
    this.count += 1;
    return String(this.count).padStart(6, '0');
  }
}

export type ScriptedChannelOptions = {
  platform?: string;
  limits?: Partial<ChannelLimits>;
  mentions?: MentionRules;
};

/** A chat platform in memory. Users write, press and send commands through it, and see the messages of the gateway. */
export class ScriptedChannel implements ChannelAdapter {
  readonly platform: string;
  readonly limits: ChannelLimits;
  readonly mentions: MentionRules;
  readonly calls: ChannelCall[] = [];
  #options: ScriptedChannelOptions;
  #chat: Chat;
  #receiver: ChannelReceiver | undefined;
  #faults: Record<Faulty, Error[]> = { send: [], edit: [], typing: [], history: [] };
  #holds: Partial<Record<Faulty, PromiseWithResolvers<void>>> = {};
  #isDead = false;
  isStopped = false;

  constructor(options: ScriptedChannelOptions = {}, chat = new Chat()) {
    const { platform = 'test', limits, mentions = MENTIONS.discord } = options;
    this.platform = platform;
    this.limits = { ...LIMITS, ...limits };
    this.mentions = mentions;
    this.#options = options;
    this.#chat = chat;
  }

  /** The adapter of another process in the same chat. The calls of this one never end from now on. */
  restarted(): ScriptedChannel {
    this.#isDead = true;
    return new ScriptedChannel(this.#options, this.#chat);
  }

  /** Lets the next calls fail, one after another. */
  fail(kind: Faulty, ...errors: Error[]): void {
    this.#faults[kind].push(...errors);
  }

  /** Keeps calls waiting until the returned function is called. */
  hold(kind: Faulty): () => void {
    const held = Promise.withResolvers<void>();
    this.#holds[kind] = held;
    return () => {
      delete this.#holds[kind];
      held.resolve();
    };
  }

  /** The messages of the gateway in a channel, as users see them now. */
  shown(channelId = CHANNEL): ShownMessage[] {
    return this.#chat.shown.filter((message) => message.channelId === channelId);
  }

  texts(channelId = CHANNEL): string[] {
    return this.shown(channelId).map(({ text }) => text);
  }

  repliesTo(messageId: string): string[] {
    return this.#chat.shown
      .filter(({ replyTo, isDraft }) => replyTo === messageId && !isDraft)
      .map(({ text }) => text);
  }

  /** Someone deletes a message of the gateway. */
  delete(id: string): void {
    const index = this.#chat.shown.findIndex((message) => message.id === id);
    this.#chat.shown.splice(index, 1);
  }

  /** A user writes; resolves with the id of the message when the gateway has taken it. */
  async say(text: string, from: From & { files?: readonly string[] } = {}): Promise<string> {
    const message = this.write(text, from);
    await this.receiver.onMessage(message);
    return message.messageId;
  }

  /** A user writes while the gateway is not connected: the message is only in the history. */
  write(text: string, from: From & { files?: readonly string[] } = {}): IncomingMessage {
    const messageId = this.#chat.nextId();
    const files = (from.files ?? []).map((name) => fileNamed(name));
    const message = { ...senderOf(from), messageId, text, files };
    this.#chat.history.push(message);
    return message;
  }

  /** Sets the content of a file that users send by name. */
  upload(name: string, content: string | Uint8Array): void {
    this.#chat.files.set(name, Buffer.from(content));
  }

  /** Presses the newest button with a label or value as a user; returns the reply that only this user sees. */
  async press(button: string, from: From & { message?: string } = {}): Promise<string | undefined> {
    const { channel = CHANNEL } = from;
    const isMeant = ({ label, value }: Button) => label === button || value === button;
    const message = this.shown(channel).findLast(({ buttons }) => buttons.some(isMeant));
    const value = message?.buttons.find(isMeant)?.value ?? button;
    let seen: string | undefined;
    await this.receiver.onPress({
      ...senderOf(from),
      messageId: from.message ?? message?.id ?? 'unknown',
      value,
      acknowledge: async (text) => {
        seen = text;
      },
    });
    return seen;
  }

  /** A user sends a command of the platform; returns the response. */
  async command(
    name: string,
    argument = '',
    from: From = {},
  ): Promise<{ text: string; onlyToUser: boolean } | undefined> {
    let response: { text: string; onlyToUser: boolean } | undefined;
    await this.receiver.onCommand({
      ...senderOf(from),
      name,
      argument,
      respond: async (text, { onlyToUser = false } = {}) => {
        response = { text, onlyToUser };
      },
    });
    return response;
  }

  get receiver(): ChannelReceiver {
    if (!this.#receiver) throw new Error('The channel is not connected.');
    return this.#receiver;
  }

  async start(receiver: ChannelReceiver): Promise<void> {
    this.#receiver = receiver;
  }

  async *messagesAfter(channelId: string, messageId: string): AsyncIterable<IncomingMessage> {
    this.calls.push({ kind: 'history', channelId });
    await this.#meetFate('history');
    for (const message of this.#chat.history) {
      if (message.channelId === channelId && message.messageId > messageId) yield message;
    }
  }

  async send(channelId: string, message: OutgoingMessage, nonce: string): Promise<string> {
    const { text, isDraft = false } = message;
    this.calls.push({ kind: 'send', channelId, text, nonce, isDraft });
    await this.#meetFate('send');
    this.#check(message);
    const key = `${channelId} ${nonce}`;
    const before = this.#chat.nonces.get(key);
    if (before !== undefined) return before;
    const id = this.#chat.nextId();
    this.#chat.nonces.set(key, id);
    this.#chat.shown.push({
      id,
      channelId,
      replyTo: message.replyTo,
      files: message.files ?? [],
      text,
      buttons: message.buttons?.flat() ?? [],
      isDraft,
    });
    return id;
  }

  async edit(
    channelId: string,
    messageId: string,
    message: Pick<OutgoingMessage, 'text' | 'buttons' | 'isDraft'>,
  ): Promise<void> {
    const { text, isDraft = false } = message;
    this.calls.push({ kind: 'edit', channelId, messageId, text, isDraft });
    await this.#meetFate('edit');
    this.#check(message);
    const shown = this.shown(channelId).find(({ id }) => id === messageId);
    if (!shown) throw new BatonError('not_found', 'The message was deleted.');
    Object.assign(shown, { text, isDraft, buttons: message.buttons?.flat() ?? [] });
  }

  async showTyping(channelId: string): Promise<void> {
    this.calls.push({ kind: 'typing', channelId });
    await this.#meetFate('typing');
  }

  onSettled(channelId: string, messageId: string): void {
    this.calls.push({ kind: 'settled', channelId, messageId });
  }

  async download({ name }: ReceivedFile): Promise<Uint8Array> {
    const content = this.#chat.files.get(name);
    if (!content) throw new Error('The file is gone.');
    return content;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const kind of ['send', 'edit', 'typing', 'history'] as const) {
      this.#holds[kind]?.reject(new BatonError('interrupted', 'The adapter was stopped.'));
    }
  }

  async #meetFate(kind: Faulty): Promise<void> {
    if (this.#isDead) await new Promise(() => {});
    await this.#holds[kind]?.promise;
    const error = this.#faults[kind].shift();
    if (error) throw error;
  }

  /** Rejects messages that a platform would reject. */
  #check({ text, buttons = [], files = [] }: OutgoingMessage): void {
    const { messageLength, sentFileBytes, buttonRows, buttonsPerRow } = this.limits;
    const isValid =
      text.trim() !== '' &&
      text.length <= messageLength &&
      buttons.length <= buttonRows &&
      buttons.every(
        (row) => row.length <= buttonsPerRow && row.every(({ label }) => label !== ''),
      ) &&
      files.every(({ content }) => content.length <= sentFileBytes);
    if (!isValid) throw new BatonError('request_rejected', `The platform rejects "${text}".`);
  }
}

function senderOf({
  channel = CHANNEL,
  user = USER,
  userName,
  guild,
  direct = false,
}: From): Sender {
  return { userId: user, userName, channelId: channel, guildId: guild, isDirect: direct };
}

function fileNamed(name: string): ReceivedFile {
  const mediaType = name.endsWith('.png') ? 'image/png' : 'text/plain';
  return { source: `https://files.test/${name}`, name, mediaType, bytes: 10 };
}
