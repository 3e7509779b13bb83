import type { WebSocket } from 'ws';
import { has, PERMISSION } from '../../adapters/discord/permissions.ts';
import { GatewayConnection } from './gateway-connection.ts';
import { INTENT, type Session } from './gateway-session.ts';
import type { Settings } from './options.ts';
import type { Payloads } from './payloads.ts';
import { CHANNEL_TYPE, type FakeMessage, type World } from './world.ts';

type GatewayFacts = { settings: Settings; world: World; payloads: Payloads; url: string };

/** The WebSocket side: sessions, and the events that they get. */
export class GatewayServer {
  readonly facts: GatewayFacts;
  readonly sessions = new Map<string, Session>();
  /** Numbers of identified and resumed bots, of heartbeats, and of refused connections. */
  readonly counts = { identified: 0, resumed: 0, heartbeats: 0, refused: 0 };
  /** Off to simulate a connection that is open but dead. */
  acknowledgesHeartbeats = true;
  #connections = new Set<GatewayConnection>();

  constructor(facts: GatewayFacts) {
    this.facts = facts;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  connect(socket: WebSocket): void {
    const connection = new GatewayConnection(socket, this);
    this.#connections.add(connection);
    socket.on('close', () => this.#connections.delete(connection));
  }

  /** Ends all connections without a close frame. Sessions that cannot be resumed are forgotten. */
  drop({ resumable }: { resumable: boolean }): void {
    for (const connection of this.#connections) connection.terminate();
    if (!resumable) this.sessions.clear();
  }

  /** Ends all connections with a close code. */
  close(code: number): void {
    for (const connection of this.#connections) connection.close(code);
  }

  /** Tells all bots to reconnect and resume, as Discord does before it restarts a server. */
  askToReconnect(): void {
    for (const connection of this.#connections) connection.askToReconnect();
  }

  /** Sends an event to each session that gets it, connected or not: a resumed session gets the events it missed. */
  dispatch(type: string, dataFor: (session: Session) => unknown): void {
    for (const session of this.sessions.values()) {
      const data = dataFor(session);
      if (data !== undefined) session.dispatch(type, data);
    }
  }

  dispatchMessage(type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE', message: FakeMessage): void {
    const { world, payloads } = this.facts;
    const channel = world.channels.get(message.channelId);
    if (!channel || !has(world.botPermissions(channel), PERMISSION.viewChannel)) return;
    const isDirect = channel.type === CHANNEL_TYPE.direct;
    const guild = world.guilds.get(channel.guildId ?? '');
    this.dispatch(type, (session) => {
      if (!session.has(isDirect ? INTENT.directMessages : INTENT.guildMessages)) return undefined;
      // Without the intent, an app reads only what concerns it.
      const readable =
        session.has(INTENT.messageContent) ||
        isDirect ||
        message.author.id === world.bot.id ||
        message.content.includes(`<@${world.bot.id}>`);
      return {
        ...payloads.message(message, { readable }),
        channel_type: channel.type,
        ...(guild && {
          guild_id: guild.id,
          member: payloads.memberWithoutUser(guild, message.author),
        }),
      };
    });
  }
}
