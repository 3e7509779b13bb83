import { randomUUID } from 'node:crypto';
import type { WarningLog } from '@baton/contracts';
import { delay } from '@baton/protocol';
import type {
  ChannelAdapter,
  ChannelLimits,
  ChannelReceiver,
  IncomingMessage,
  OutgoingMessage,
} from '../../channel-adapter.ts';
import type { ReceivedFile } from '../../queue/gateway-event.ts';
import type { MentionRules } from '../../text/mentions.ts';
import { HttpError } from './http-error.ts';
import { Outbox } from './outbox.ts';
import { bytesOf, messageSchema, parseBody, pressSchema } from './request-body.ts';
import { type ReplayList, type SignatureProblem, signWebhook, verifyWebhook } from './signature.ts';
import { type Handle, type Response, WebhookServer } from './webhook-server.ts';

const PREFIX = 'webhook:';
const MB = 1024 * 1024;

/** Stored result of a message. */
export type WebhookResult = {
  readonly state: 'pending' | 'answered' | 'failed' | 'rejected';
  /** The answer. */
  readonly text?: string | undefined;
  /** Reason for the failure. */
  readonly error?: string | undefined;
  /** Set if the message failed and can be run again by a press of the button that the gateway sent. */
  readonly canRetry?: boolean | undefined;
};

export type WebhookAdapterOptions = {
  /** At least 32 characters, shared with the programs that send messages. */
  secret: string;
  /** Separate secret for the programs that press buttons: a program that sends messages must not approve requests. */
  pressSecret?: string | undefined;
  /** 0 for any free port. */
  port: number;
  /** A loopback address; 127.0.0.1 by default. */
  host?: string | undefined;
  replays: ReplayList;
  log: WarningLog;
  now?: (() => number) | undefined;
  /** Reads the stored result of a message; undefined if the gateway did not take it. */
  resultOf(channelId: string, messageId: string): Promise<WebhookResult | undefined>;
  /** Time limit for a request to arrive; 30 seconds by default. */
  requestTimeoutMs?: number | undefined;
};

/** An HTTP endpoint for programs, such as a CI job. Requests are signed; a program polls or waits for its answer. */
export class WebhookAdapter implements ChannelAdapter {
  readonly platform = 'webhook';
  readonly limits: ChannelLimits = {
    messageLength: 100_000,
    sendIntervalMs: 0,
    editIntervalMs: 0,
    typingMs: 0,
    sentFileBytes: 5 * MB,
    receivedFileBytes: 5 * MB,
    buttonsPerRow: 25,
    buttonRows: 25,
    buttonLabelLength: 200,
    buttonValueBytes: 1000,
    acknowledgeMs: 30_000,
  };
  /** Programs are not notified by mentions. */
  readonly mentions: MentionRules = { pattern: /(?!)/g };
  #options: WebhookAdapterOptions;
  #server: WebhookServer;
  #receiver: ChannelReceiver | undefined;
  #outbox = new Outbox();
  /** Resolved at the next change in a channel. */
  #changes = new Map<string, PromiseWithResolvers<void>>();
  /** Ends when the messages of a channel that have arrived are taken. */
  #taken = new Map<string, Promise<void>>();

  constructor(options: WebhookAdapterOptions) {
    this.#options = options;
    const { host = '127.0.0.1', port, requestTimeoutMs, log, secret, pressSecret } = options;
    // Throws if a secret is too short.
    for (const each of [secret, pressSecret ?? secret]) {
      signWebhook(each, { timestamp: '0', body: '' });
    }
    this.#server = new WebhookServer({
      host,
      port,
      requestTimeoutMs,
      routes: {
        '/messages': this.#verified(secret, (body, signal) => this.#onMessage(body, signal)),
        '/presses': this.#verified(pressSecret, (body) => this.#onPress(body)),
      },
      onError: (error) => log.warn(`A webhook request failed: ${messageOf(error)}`),
    });
  }

  /** Address of the server, such as `http://127.0.0.1:8765`. */
  get url(): string {
    return this.#server.url;
  }

  async start(receiver: ChannelReceiver): Promise<void> {
    this.#receiver = receiver;
    await this.#server.start();
  }

  /** A program that was not answered sends its message again. */
  async *messagesAfter(): AsyncIterable<IncomingMessage> {}

  async send(channelId: string, message: OutgoingMessage, nonce: string): Promise<string> {
    const id = this.#outbox.add(channelId, message, nonce);
    if (!message.isDraft) this.#wake(channelId);
    return id;
  }

  async edit(
    channelId: string,
    messageId: string,
    message: Pick<OutgoingMessage, 'text' | 'buttons' | 'isDraft'>,
  ): Promise<void> {
    this.#outbox.edit(channelId, messageId, message);
    if (!message.isDraft) this.#wake(channelId);
  }

  async showTyping(): Promise<void> {}

  onSettled(channelId: string): void {
    this.#wake(channelId);
  }

  /** The content of a file is in its source, so it is stored with the message. */
  async download({ source }: ReceivedFile): Promise<Uint8Array> {
    return Buffer.from(source.slice(source.indexOf(',') + 1), 'base64');
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }

  /** Verifies the signature of a request before its body is parsed. */
  #verified(
    secret: string | undefined,
    handle: (body: Buffer, signal: AbortSignal) => Promise<Response>,
  ): Handle {
    return async ({ headers, body }, signal) => {
      if (secret === undefined) throw noPresses();
      const { replays, now = Date.now } = this.#options;
      const timestamp = String(headers['x-baton-timestamp'] ?? '');
      const signature = String(headers['x-baton-signature'] ?? '');
      const request = { timestamp, signature, body };
      const problem = await verifyWebhook(secret, request, { replays, now: now() });
      if (problem) throw unauthorized(problem);
      return handle(body, signal);
    };
  }

  async #onMessage(bytes: Buffer, signal: AbortSignal): Promise<Response> {
    const { channel, user, text, wait, files, id = randomUUID() } = parseBody(messageSchema, bytes);
    if (text.trim() === '' && files.length === 0) {
      throw new HttpError(400, 'text must not be empty.');
    }
    const channelId = `${PREFIX}${channel}`;
    const sender = { channelId, userId: `${PREFIX}${user}`, isDirect: false };
    if (!this.#receiver?.allows(sender)) throw notAllowed();
    await this.#inOrder(channelId, async () => {
      // A message that was sent before is not handed over again: the request asks for its result.
      if (await this.#resultOf(channelId, id)) return;
      await this.#handOver({
        ...sender,
        messageId: id,
        text,
        files: files.map(({ name, mediaType, data }) => ({
          source: `data:${mediaType};base64,${data}`,
          name,
          mediaType,
          bytes: bytesOf(data),
        })),
      });
    });
    // What answers a question of the agent, or is too long to be taken, has no result of its own.
    const result = await this.#waitForResult(channelId, id, wait, signal);
    return this.#response(channelId, { id, channel }, result ?? { state: 'answered' });
  }

  async #handOver(message: IncomingMessage): Promise<void> {
    try {
      await this.#receiver?.onMessage(message);
    } catch (error) {
      this.#options.log.warn(`A webhook message could not be stored: ${messageOf(error)}`);
      throw new HttpError(
        503,
        'The message could not be stored.',
        `Send it again with the id "${message.messageId}".`,
      );
    }
  }

  async #onPress(bytes: Buffer): Promise<Response> {
    const { channel, user, message, value } = parseBody(pressSchema, bytes);
    const sender = {
      channelId: `${PREFIX}${channel}`,
      userId: `${PREFIX}${user}`,
      isDirect: false,
    };
    if (!this.#receiver?.allows(sender)) throw notAllowed();
    const acknowledged = Promise.withResolvers<string | undefined>();
    const pressed = this.#receiver.onPress({
      ...sender,
      messageId: message,
      value,
      acknowledge: async (text) => acknowledged.resolve(text),
    });
    const text = await Promise.race([acknowledged.promise, pressed.then(() => undefined)]);
    return { status: 200, body: { text } };
  }

  /** Waits until a message has ended, there is a request that no program has received yet, or the time is up. */
  async #waitForResult(
    channelId: string,
    id: string,
    seconds: number,
    signal: AbortSignal,
  ): Promise<WebhookResult | undefined> {
    const ended = new AbortController();
    const limit = AbortSignal.any([signal, ended.signal]);
    let isOver = seconds === 0 || signal.aborted;
    const timeUp = isOver
      ? Promise.resolve()
      : delay(seconds * 1000, limit).then(() => {
          isOver = true;
        });
    try {
      for (;;) {
        // Taken before the result is read, so that no change in between is missed.
        const changed = this.#nextChange(channelId);
        const result = await this.#resultOf(channelId, id);
        const isNews = result?.state !== 'pending' || this.#outbox.hasUnreported(channelId);
        if (isNews || isOver) return result;
        await Promise.race([changed, timeUp]);
      }
    } finally {
      ended.abort();
    }
  }

  /** A command is not stored: its reply is its result. */
  async #resultOf(channelId: string, id: string): Promise<WebhookResult | undefined> {
    const stored = await this.#options.resultOf(channelId, id);
    if (stored) return stored;
    const replies = this.#outbox.repliesTo(channelId, id);
    if (replies.length === 0) return undefined;
    return { state: 'answered', text: replies.map(({ text }) => text).join('\n') };
  }

  #response(
    channelId: string,
    named: { id: string; channel: string },
    { state, text, error, canRetry }: WebhookResult,
  ): Response {
    const replies = this.#outbox.repliesTo(channelId, named.id);
    const files = replies.flatMap((reply) => reply.files ?? []);
    const shown = files.map(({ name, mediaType, content }) => ({
      name,
      mediaType,
      data: Buffer.from(content).toString('base64'),
    }));
    const withFiles = shown.length > 0 ? { files: shown } : {};
    switch (state) {
      case 'pending':
        return {
          status: 202,
          body: { ...named, state, requests: this.#outbox.reportRequests(channelId) },
        };
      case 'answered':
        return { status: 200, body: { ...named, state, text, ...withFiles } };
      case 'failed': {
        // A message that an earlier process sent does not tell what it replies to.
        const requests = this.#outbox
          .requestsIn(channelId)
          .filter(({ replyTo = named.id }) => replyTo === named.id);
        return {
          status: 200,
          body: { ...named, state, error, canRetry, requests, ...withFiles },
        };
      }
      case 'rejected': {
        const hint = 'Send it again later, with another id.';
        const { error } = new HttpError(429, 'Too many messages are pending.', hint).toJSON();
        return { status: 429, body: { ...named, state, error } };
      }
    }
  }

  #nextChange(channelId: string): Promise<void> {
    const change = this.#changes.get(channelId) ?? Promise.withResolvers<void>();
    this.#changes.set(channelId, change);
    return change.promise;
  }

  #wake(channelId: string): void {
    const change = this.#changes.get(channelId);
    this.#changes.delete(channelId);
    change?.resolve();
  }

  /** Hands over the messages of a channel one after another, as they arrived. */
  async #inOrder(channelId: string, act: () => Promise<void>): Promise<void> {
    const before = this.#taken.get(channelId) ?? Promise.resolve();
    const result = before.then(act);
    const taken = result.catch(() => {});
    this.#taken.set(channelId, taken);
    await taken;
    if (this.#taken.get(channelId) === taken) this.#taken.delete(channelId);
    await result;
  }
}

function noPresses(): HttpError {
  return new HttpError(
    403,
    'The gateway takes no presses: it has no secret for them.',
    'Set BATON_GATEWAY_PRESS_SECRET, or run "baton gateway init".',
  );
}

function notAllowed(): HttpError {
  return new HttpError(403, 'The user or channel is not on the allow-list.');
}

/** A client learns that its signature was valid only if it was. */
function unauthorized(problem: SignatureProblem): HttpError {
  if (problem === 'expired') {
    return new HttpError(
      401,
      'The timestamp differs by more than five minutes from the time of the gateway.',
      'It is in milliseconds since 1970. Check the clock.',
    );
  }
  if (problem === 'replayed') {
    return new HttpError(
      401,
      'The signature was used before.',
      'Sign every request with a new timestamp.',
    );
  }
  return new HttpError(
    401,
    'The signature is missing or wrong.',
    'Send x-baton-timestamp, and the HMAC-SHA256 of timestamp, period and body in x-baton-signature.',
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
