import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { PERMISSION, type PermissionOverwrite } from '../../adapters/discord/permissions.ts';
import type { Fault } from './faults.ts';
import { GatewayServer } from './gateway-server.ts';
import { HttpHandler, type LoggedRequest } from './http-handler.ts';
import { directChannel } from './info-routes.ts';
import { type InteractionOutcome, Interactions } from './interactions.ts';
import { DEFAULT_SETTINGS, type FakeDiscordOptions, type Settings } from './options.ts';
import { Payloads } from './payloads.ts';
import { pingsOf } from './pings.ts';
import type { Service } from './route.ts';
import { CHANNEL_TYPE, type FakeChannel, type FakeMessage, type FakeUser, World } from './world.ts';

/** Permissions of the members of a new server. */
const USUAL_PERMISSIONS =
  PERMISSION.viewChannel |
  PERMISSION.sendMessages |
  PERMISSION.attachFiles |
  PERMISSION.readMessageHistory |
  PERMISSION.sendMessagesInThreads;

type SaidFile = {
  name: string;
  mediaType: string;
  content: Uint8Array;
  /** File size that Discord reports, if it differs from the real one. */
  size?: number | undefined;
};

type SayOptions = {
  files?: readonly SaidFile[] | undefined;
  /** Set for a message of a webhook. */
  webhookId?: string | undefined;
  /** 0 by default; others are system messages, such as 7 for a member who joined. */
  type?: number | undefined;
};

/**
 * A local stand-in of Discord, with the REST and WebSocket endpoints that bots use. It starts with a server (`guildId`)
 * that has a channel (`channelId`) and a member (`userId`).
 */
export class FakeDiscord {
  /** The base of the REST API. */
  readonly apiUrl: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly gateway: GatewayServer;
  /** On while the server does not respond to new WebSocket connections. */
  holdsConnections = false;
  readonly heldConnections: Duplex[] = [];
  #settings: Settings;
  #world: World;
  #payloads: Payloads;
  #interactions: Interactions;
  #http: HttpHandler;
  #server: Server;

  constructor(server: Server, settings: Settings) {
    const { port } = server.address() as AddressInfo;
    const origin = `http://127.0.0.1:${port}`;
    this.apiUrl = `${origin}/api`;
    this.#server = server;
    this.#settings = settings;
    this.#world = new World();
    this.#payloads = new Payloads(this.#world, origin);
    this.#interactions = new Interactions(settings, this.#world);
    const facts = { settings, world: this.#world, payloads: this.#payloads };
    this.gateway = new GatewayServer({ ...facts, url: `ws://127.0.0.1:${port}/gateway` });
    const service: Service = {
      ...facts,
      gateway: this.gateway,
      interactions: this.#interactions,
      nonces: new Map(),
    };
    this.#http = new HttpHandler(service);
    this.#listen();
    this.guildId = this.addGuild();
    this.channelId = this.addChannel();
    this.userId = this.addUser();
  }

  get token(): string {
    return this.#settings.token;
  }

  get botId(): string {
    return this.#world.bot.id;
  }

  /** All REST requests, the oldest first. */
  get requests(): readonly LoggedRequest[] {
    return this.#http.requests;
  }

  /** Called for each request after it took effect and before the response is sent. */
  set onRequest(listener: ((request: LoggedRequest) => void) | undefined) {
    this.#http.onRequest = listener;
  }

  /** Number of requests rejected by a rate limit. */
  get rateLimitHits(): number {
    return this.#http.limits.hits;
  }

  /** The commands that the bot has registered. */
  get commands(): World['commands'] {
    return this.#world.commands;
  }

  addUser(facts: Partial<Omit<FakeUser, 'id'>> = {}): string {
    return this.#world.addUser(facts).id;
  }

  addGuild(facts: { permissions?: bigint; withBot?: boolean } = {}): string {
    return this.#world.addGuild({ permissions: USUAL_PERMISSIONS, ...facts }).id;
  }

  /** Gives the bot a role in a server, and returns the id of the role. */
  addBotRole(guildId: string, permissions: bigint): string {
    const id = this.#world.ids.next();
    const guild = this.#world.guilds.get(guildId);
    guild?.roles.push({ id, name: `role-${id}`, permissions });
    guild?.members.get(this.botId)?.push(id);
    return id;
  }

  /** Adds a text channel, or a thread if it has a parent. One that starts from a message has the id of the message. */
  addChannel(
    facts: {
      id?: string;
      guildId?: string;
      parentId?: string;
      overwrites?: PermissionOverwrite[];
    } = {},
  ): string {
    const type = facts.parentId === undefined ? CHANNEL_TYPE.text : CHANNEL_TYPE.thread;
    return this.#world.addChannel({ guildId: this.guildId, ...facts, type }).id;
  }

  /** Tells the bot about a thread, as Discord does when it is created. */
  announceThread(channelId: string): void {
    this.gateway.dispatch('THREAD_CREATE', () => this.#payloads.channel(this.#channel(channelId)));
  }

  removeChannel(channelId: string): void {
    this.#world.channels.delete(channelId);
  }

  /** Replaces the overwrites of a channel. */
  setOverwrites(channelId: string, overwrites: PermissionOverwrite[]): void {
    this.#channel(channelId).overwrites = overwrites;
  }

  /** The direct messages between a user and the bot. */
  directChannel(userId: string): string {
    return directChannel(this.#world, userId).id;
  }

  /** Sends a message of a user and returns its id. */
  say(channelId: string, userId: string, text: string, options: SayOptions = {}): string {
    const author = this.#world.users.get(userId);
    if (!author) throw new Error(`There is no user ${userId}.`);
    const message = this.#world.addMessage({
      channelId: this.#channel(channelId).id,
      author,
      type: options.type ?? 0,
      content: text,
      attachments: (options.files ?? []).map((file) => this.#world.addAttachment(file)),
      components: [],
      webhookId: options.webhookId,
      pings: pingsOf({ content: text, allowed: undefined, repliedUserId: undefined }),
    });
    this.gateway.dispatchMessage('MESSAGE_CREATE', message);
    return message.id;
  }

  /** Presses a button, given its label or custom id, and returns the outcome that the user sees. */
  press(messageId: string, button: string, userId: string): Promise<InteractionOutcome> {
    const message = this.#world.message(messageId);
    if (!message) throw new Error(`There is no message ${messageId}.`);
    const pressed = message.components
      .flatMap(({ components }) => components)
      .find((each) => each.label === button || each.custom_id === button);
    if (!pressed) throw new Error(`Message ${messageId} has no button "${button}".`);
    const channel = this.#channel(message.channelId);
    return this.#interact(channel, userId, {
      type: 3,
      message: this.#payloads.message(message, { readable: true }),
      data: { component_type: 2, id: 1, custom_id: pressed.custom_id },
    });
  }

  /** Enters a slash command that the bot has registered, and returns the outcome that the user sees. */
  command(
    channelId: string,
    userId: string,
    name: string,
    argument?: string,
  ): Promise<InteractionOutcome> {
    const command = this.#world.commands.find((each) => each.name === name);
    if (!command) throw new Error(`The bot has not registered /${name}.`);
    const options = argument === undefined ? [] : [{ type: 3, name: 'argument', value: argument }];
    return this.#interact(this.#channel(channelId), userId, {
      type: 2,
      data: { id: this.#world.ids.next(), type: 1, name, options },
    });
  }

  /** The messages of a channel, the oldest first. */
  messages(channelId: string): readonly FakeMessage[] {
    return this.#channel(channelId).messages;
  }

  /** The messages of the bot in a channel, the oldest first. */
  botMessages(channelId: string): readonly FakeMessage[] {
    return this.messages(channelId).filter(({ author }) => author.id === this.botId);
  }

  deleteMessage(messageId: string): void {
    for (const channel of this.#world.channels.values()) {
      channel.messages = channel.messages.filter(({ id }) => id !== messageId);
    }
  }

  typingCount(channelId: string): number {
    return this.#channel(channelId).typingCount;
  }

  dropConnections({ resumable = true }: { resumable?: boolean } = {}): void {
    this.gateway.drop({ resumable });
  }

  /** Starts or ends an outage: connections are reset, and new ones fail. Users can still write. */
  setDown(isDown: boolean): void {
    this.#http.isDown = isDown;
    if (isDown) this.gateway.drop({ resumable: true });
  }

  /** Makes the token invalid, as if a new one had been created. */
  replaceToken(token: string): void {
    this.#settings.token = token;
  }

  /** Uses up the messages that may be sent to a channel now. */
  exhaustSends(channelId: string): void {
    this.#http.limits.exhaust({ name: 'send', majorId: channelId, ...this.#settings.sendLimit });
  }

  /** Makes requests fail. */
  fail(fault: Fault): void {
    this.#http.faults.add(fault);
  }

  async close(): Promise<void> {
    this.#interactions.close();
    this.gateway.drop({ resumable: false });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  #listen(): void {
    const sockets = new WebSocketServer({ noServer: true });
    this.#server.on('upgrade', (request, socket, head) => {
      if (this.holdsConnections) {
        this.heldConnections.push(socket);
        return;
      }
      if (this.#http.isDown || !request.url?.startsWith('/gateway')) {
        this.gateway.counts.refused += 1;
        socket.destroy();
        return;
      }
      sockets.handleUpgrade(request, socket, head, (each) => this.gateway.connect(each));
    });
    this.#server.on('request', (request, response) => {
      this.#http.handle(request, response).catch(() => response.destroy());
    });
  }

  #interact(
    channel: FakeChannel,
    userId: string,
    facts: Record<string, unknown>,
  ): Promise<InteractionOutcome> {
    const user = this.#world.users.get(userId);
    if (!user) throw new Error(`There is no user ${userId}.`);
    const guild = this.#world.guilds.get(channel.guildId ?? '');
    const { id, token, outcome } = this.#interactions.open(channel.id);
    const permissions = String(USUAL_PERMISSIONS);
    this.gateway.dispatch('INTERACTION_CREATE', () => ({
      id,
      token,
      version: 1,
      application_id: this.#world.applicationId,
      channel_id: channel.id,
      channel: this.#payloads.channel(channel),
      locale: 'en-US',
      app_permissions: permissions,
      entitlements: [],
      authorizing_integration_owners: {},
      attachment_size_limit: this.#settings.uploadBytes,
      ...(guild
        ? {
            guild_id: guild.id,
            guild_locale: 'en-US',
            context: 0,
            member: { ...this.#payloads.member(guild, user), permissions },
          }
        : { context: 1, user: this.#payloads.user(user) }),
      ...facts,
    }));
    return outcome;
  }

  #channel(channelId: string): FakeChannel {
    const channel = this.#world.channels.get(channelId);
    if (!channel) throw new Error(`There is no channel ${channelId}.`);
    return channel;
  }
}

export async function startFakeDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return new FakeDiscord(server, { ...DEFAULT_SETTINGS, ...options });
}
