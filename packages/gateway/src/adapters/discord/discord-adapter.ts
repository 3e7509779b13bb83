import { BatonError, delay } from '@baton/protocol';
import type {
  APIChannel,
  APIInteraction,
  APIInteractionResponse,
  APIMessage,
  Client,
  GatewayGuildCreateDispatchData,
  GatewayMessageCreateDispatchData,
  GatewayReadyDispatchData,
} from 'discord.js';
import type {
  ChannelAdapter,
  ChannelReceiver,
  IncomingMessage,
  OutgoingMessage,
} from '../../channel-adapter.ts';
import type { AccessRules } from '../../config/access.ts';
import type { ReceivedFile } from '../../queue/gateway-event.ts';
import { MENTIONS } from '../../text/mentions.ts';
import { normalizeToken } from './bot-token.ts';
import { channelHeads } from './channel-heads.ts';
import { ChannelInbox } from './channel-inbox.ts';
import { clientOptions } from './client-options.ts';
import {
  API_ERROR,
  apiErrorCode,
  fatalCloseError,
  isInvalidToken,
  messageOf,
  redact,
  toBatonError,
} from './discord-errors.ts';
import { checkMessageId, PLATFORM, toSnowflake } from './discord-ids.ts';
import { DISCORD_LIMITS } from './discord-limits.ts';
import { downloadAttachment } from './download-attachment.ts';
import { isFromPerson, toIncomingMessage } from './incoming-message.ts';
import {
  isButtonPress,
  isCommand,
  type ReplyBody,
  toButtonPress,
  toCommand,
} from './interactions.ts';
import { type Discord, loadDiscord } from './load-discord.ts';
import { messageHistory } from './message-history.ts';
import { toEditBody, toMessageBody, toRawFiles } from './outgoing-message.ts';
import { registerCommands } from './register-commands.ts';
import { ThreadParents } from './thread-parents.ts';

/** Maximum time that `stop` waits for requests that are being sent. */
const STOP_GRACE_MS = 10_000;
/** A command is acknowledged after this time, with room before Discord gives up on it after 3 seconds. */
const DEFER_MS = 1500;

type DiscordLog = { warn(message: string): void; info?(message: string): void };

export type DiscordAdapterOptions = {
  token: string;
  /** The base of the REST API, such as `http://127.0.0.1:8080/api`; Discord's by default. */
  apiUrl?: string | undefined;
  /** True to receive direct messages. */
  directMessages: boolean;
  log: DiscordLog;
  /** Delay after which a command is acknowledged before it has finished. */
  deferMs?: number | undefined;
};

/** The connection, from `start` to `stop`. */
type Connection = {
  client: Client;
  receiver: ChannelReceiver;
  inbox: ChannelInbox;
  botId: string;
};

/**
 * Connects the gateway to Discord with discord.js, which reconnects, resumes sessions and waits for rate limits. The
 * adapter handles the events as Discord sends them instead of the objects that discord.js makes of them, because those
 * depend on caches: discord.js drops messages of channels that it has not cached.
 */
export class DiscordAdapter implements ChannelAdapter {
  readonly platform = PLATFORM;
  readonly limits = DISCORD_LIMITS;
  readonly mentions = MENTIONS.discord;
  #options: DiscordAdapterOptions;
  #token: string;
  #connection: Connection | undefined;
  #threads = new ThreadParents();
  /** Aborted by `stop`: no more events are handed over. */
  #stopped = new AbortController();
  /** Aborted when `stop` has waited long enough: requests are rejected. */
  #cancelled = new AbortController();
  /** Aborted when `stop` disconnects: discord.js must not connect again. */
  #disconnected = new AbortController();
  #inFlight = new Set<Promise<unknown>>();
  #starting: Promise<void> | undefined;
  #ended = false;

  constructor(options: DiscordAdapterOptions) {
    this.#options = options;
    this.#token = normalizeToken(options.token);
  }

  /** Before `start`, so that every later message is either received or among those that are fetched. */
  async heads(
    { guilds, channels }: Pick<AccessRules, 'guilds' | 'channels'>,
    known: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, string>> {
    const { REST } = await loadDiscord();
    const { apiUrl, log } = this.#options;
    const rest = new REST(apiUrl === undefined ? {} : { api: apiUrl }).setToken(this.#token);
    try {
      return await channelHeads(rest, {
        ...{ guilds, channels, known },
        onProblem: (id, error) => {
          log.warn(`The channels of ${id} are unknown: ${this.#reason(error)}`);
        },
      });
    } finally {
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    }
  }

  async start(receiver: ChannelReceiver): Promise<void> {
    const starting = this.#connect(receiver);
    this.#starting = starting.catch(() => {});
    await starting;
  }

  async *messagesAfter(channelId: string, messageId: string): AsyncIterable<IncomingMessage> {
    const { client, botId } = this.#connected();
    const id = toSnowflake(channelId);
    const doing = `Cannot read the history of ${channelId}`;
    const request = (path: `/${string}`, query?: URLSearchParams) =>
      this.#request(doing, () => client.rest.get(path, query ? { query } : {}));
    try {
      yield* messageHistory({ request, channelId: id, after: checkMessageId(messageId), botId });
    } catch (error) {
      const isGone = BatonError.is(error) && ['not_found', 'forbidden'].includes(error.code);
      if (!isGone) throw error;
      this.#options.log.warn(`${error.message} ${error.hint}`);
    }
  }

  async send(channelId: string, message: OutgoingMessage, nonce: string): Promise<string> {
    const { client } = this.#connected();
    const route = `/channels/${toSnowflake(channelId)}/messages` as const;
    const request = { body: toMessageBody(message, nonce), files: toRawFiles(message.files) };
    const sent = await this.#request(`Cannot send to ${channelId}`, () =>
      client.rest.post(route, request),
    );
    return (sent as APIMessage).id;
  }

  async edit(
    channelId: string,
    messageId: string,
    message: Pick<OutgoingMessage, 'text' | 'buttons'>,
  ): Promise<void> {
    const { client } = this.#connected();
    const channel = toSnowflake(channelId);
    const route = `/channels/${channel}/messages/${checkMessageId(messageId)}` as const;
    await this.#request(`Cannot edit a message in ${channelId}`, () =>
      client.rest.patch(route, { body: toEditBody(message) }),
    );
  }

  async showTyping(channelId: string): Promise<void> {
    const { client } = this.#connected();
    const route = `/channels/${toSnowflake(channelId)}/typing` as const;
    await this.#request(`Cannot show typing in ${channelId}`, () => client.rest.post(route));
  }

  download(file: ReceivedFile): Promise<Uint8Array> {
    const maxBytes = this.limits.receivedFileBytes;
    return downloadAttachment(file, { maxBytes, apiUrl: this.#options.apiUrl });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#settled(Promise.all(this.#inFlight));
    this.#cancelled.abort();
    await Promise.all(this.#inFlight);
    await this.#starting;
    this.#disconnected.abort();
    await this.#connection?.client.destroy();
  }

  async #connect(receiver: ChannelReceiver): Promise<void> {
    const discord = await loadDiscord();
    const client = new discord.Client(
      clientOptions(discord, {
        apiUrl: undefined,
        ...this.#options,
        stopped: this.#disconnected.signal,
      }),
    );
    const failure = Promise.withResolvers<never>();
    failure.promise.catch(() => {});
    const onStop = () => failure.reject(new BatonError('interrupted', 'The adapter was stopped.'));
    const { signal } = this.#stopped;
    signal.addEventListener('abort', onStop, { once: true });
    if (signal.aborted) onStop();
    client.on(discord.Events.ShardDisconnect, ({ code }) => {
      const error = fatalCloseError(code);
      failure.reject(error);
      this.#end(error);
    });
    const connected = Promise.all([
      this.#listen(discord, client, receiver),
      client.login(this.#token),
    ]);
    try {
      const [{ application }] = await Promise.race([connected, failure.promise]);
      this.#registerCommands(client, receiver, application.id);
    } catch (error) {
      // discord.js ignores `destroy` before it has a connection, and would connect afterwards.
      await this.#settled(connected);
      await client.destroy();
      this.#connection = undefined;
      throw this.#toBatonError(error, 'Cannot connect');
    } finally {
      signal.removeEventListener('abort', onStop);
    }
  }

  /** Resolves with the first READY event. Every further one starts a session that lacks what was sent before it. */
  #listen(
    discord: Discord,
    client: Client,
    receiver: ChannelReceiver,
  ): Promise<GatewayReadyDispatchData> {
    const { log } = this.#options;
    const { GatewayDispatchEvents, Events } = discord;
    const ready = Promise.withResolvers<GatewayReadyDispatchData>();
    // discord.js reconnects after these; without a listener, Node would throw the first kind.
    client.on(Events.Error, (error) => log.warn(redact(error.message, this.#token)));
    client.on(Events.ShardError, (error) => log.warn(redact(error.message, this.#token)));
    // discord.js tries twice a second in an outage.
    let isReconnecting = false;
    client.on(Events.ShardReconnecting, () => {
      if (!isReconnecting && !this.#stopped.signal.aborted) {
        log.info?.('Reconnecting to Discord.');
      }
      isReconnecting = true;
    });
    for (const event of [Events.ShardReady, Events.ShardResume] as const) {
      client.on(event, () => {
        isReconnecting = false;
      });
    }
    client.ws.on(GatewayDispatchEvents.Ready, (data: GatewayReadyDispatchData) => {
      ready.resolve(data);
      if (this.#connection) {
        this.#handle(() => receiver.onGap());
        return;
      }
      const inbox = new ChannelInbox({ receiver, signal: this.#stopped.signal, warn: log.warn });
      this.#connection = { client, receiver, inbox, botId: data.user.id };
    });
    client.ws.on(GatewayDispatchEvents.MessageCreate, (data: GatewayMessageCreateDispatchData) =>
      this.#handle(() => this.#onMessage(data)),
    );
    client.ws.on(GatewayDispatchEvents.GuildCreate, (data: GatewayGuildCreateDispatchData) =>
      this.#handle(() => this.#threads.addAll(data)),
    );
    client.ws.on(GatewayDispatchEvents.ThreadCreate, (data: APIChannel) =>
      this.#handle(() => this.#threads.add(data)),
    );
    client.ws.on(GatewayDispatchEvents.InteractionCreate, (data: APIInteraction) =>
      this.#handle(() => this.#onInteraction(data)),
    );
    return ready.promise;
  }

  /** An exception in a listener would end the process. */
  #handle(act: () => void): void {
    if (this.#stopped.signal.aborted) return;
    try {
      act();
    } catch (error) {
      this.#options.log.warn(`An event of Discord was ignored: ${this.#reason(error)}`);
    }
  }

  #onMessage(message: GatewayMessageCreateDispatchData): void {
    if (!this.#connection || !isFromPerson(message)) return;
    const { inbox, botId } = this.#connection;
    const parentId = this.#threads.get(message.channel_id);
    inbox.add(toIncomingMessage(message, { guildId: message.guild_id, parentId, botId }));
  }

  #onInteraction(interaction: APIInteraction): void {
    if (!this.#connection) return;
    const { receiver } = this.#connection;
    const respond = (to: APIInteraction, body: APIInteractionResponse) => this.#respond(to, body);
    const failed = (error: unknown) => {
      this.#options.log.warn(`An interaction was not handled: ${this.#reason(error)}`);
    };
    if (isButtonPress(interaction)) {
      receiver.onPress(toButtonPress(interaction, respond)).catch(failed);
    }
    if (!isCommand(interaction)) return;
    const editResponse = (to: APIInteraction, body: ReplyBody) => this.#editResponse(to, body);
    const deferMs = this.#options.deferMs ?? DEFER_MS;
    const command = toCommand(interaction, { respond, editResponse, deferMs });
    receiver.onCommand(command).catch(failed);
  }

  async #editResponse(interaction: APIInteraction, body: ReplyBody): Promise<void> {
    const { client } = this.#connected();
    const { application_id: application, token } = interaction;
    const path = `/webhooks/${application}/${token}/messages/@original` as const;
    try {
      await this.#inTime(client.rest.patch(path, { body, auth: false }));
    } catch (error) {
      throw this.#toBatonError(error, 'Cannot respond to a user');
    }
  }

  async #respond({ id, token }: APIInteraction, body: APIInteractionResponse): Promise<void> {
    const { client } = this.#connected();
    const path = `/interactions/${id}/${token}/callback` as const;
    try {
      // The token of the interaction authorizes the request.
      await this.#inTime(client.rest.post(path, { body, auth: false }));
    } catch (error) {
      const code = apiErrorCode(error);
      // A request that was retried can find its own first attempt.
      if (code === API_ERROR.alreadyAcknowledged) return;
      if (code !== API_ERROR.unknownInteraction) {
        throw this.#toBatonError(error, 'Cannot respond to a user');
      }
      this.#options.log.warn('Discord did not wait for the response to a user: it came too late.');
    }
  }

  #registerCommands(client: Client, { commands }: ChannelReceiver, applicationId: string): void {
    const { directMessages, log } = this.#options;
    // Not awaited: messages work without commands, and Discord can make the bot wait for long.
    registerCommands(client.rest, { applicationId, commands, directMessages }).catch((error) => {
      if (this.#stopped.signal.aborted) return;
      log.warn(`The commands were not registered: ${this.#reason(error)}`);
    });
  }

  /** Runs a request that `stop` waits for. */
  async #request<Result>(doing: string, act: () => Promise<Result>): Promise<Result> {
    if (this.#stopped.signal.aborted) {
      throw new BatonError('interrupted', `${doing}: the adapter was stopped.`);
    }
    try {
      return await this.#inTime(act());
    } catch (error) {
      const failure = this.#toBatonError(error, doing);
      if (isInvalidToken(error)) this.#end(failure);
      throw failure;
    }
  }

  /** Returns the result of a request, unless `stop` gives up on it first. */
  async #inTime<Result>(request: Promise<Result>): Promise<Result> {
    const { signal } = this.#cancelled;
    const cancelled = Promise.withResolvers<never>();
    const onCancel = () => {
      cancelled.reject(
        new BatonError('interrupted', 'The adapter was stopped while it was sending.'),
      );
    };
    signal.addEventListener('abort', onCancel, { once: true });
    const result = Promise.race([request, cancelled.promise]);
    this.#track(result);
    try {
      return await result;
    } finally {
      signal.removeEventListener('abort', onCancel);
    }
  }

  /** Waits until something has settled, but not for long. */
  async #settled(work: Promise<unknown>): Promise<void> {
    const settled = new AbortController();
    await Promise.race([Promise.allSettled([work]), delay(STOP_GRACE_MS, settled.signal)]);
    settled.abort();
  }

  #track(work: Promise<unknown>): void {
    const settled = work.then(
      () => {},
      () => {},
    );
    this.#inFlight.add(settled);
    void settled.then(() => this.#inFlight.delete(settled));
  }

  /** Reports once that the adapter cannot continue, unless `start` is going to throw. */
  #end(error: BatonError): void {
    if (!this.#connection || this.#ended || this.#stopped.signal.aborted) return;
    this.#ended = true;
    this.#connection.receiver.onEnd(error);
  }

  #connected(): Connection {
    if (this.#connection) return this.#connection;
    throw new BatonError('conflict', 'The Discord adapter is not connected.', {
      hint: 'Start the adapter first.',
    });
  }

  #toBatonError(error: unknown, doing: string): BatonError {
    return toBatonError(error, doing, this.#token);
  }

  #reason(error: unknown): string {
    return redact(messageOf(error), this.#token);
  }
}
