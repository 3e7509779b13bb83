import { randomBytes } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { GatewayServer } from './gateway-server.ts';
import { INTENT, KNOWN_INTENTS, Session } from './gateway-session.ts';

const OP = {
  heartbeat: 1,
  identify: 2,
  updatePresence: 3,
  updateVoiceState: 4,
  resume: 6,
  reconnect: 7,
  requestGuildMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const;

const CLOSE = {
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  invalidSequence: 4007,
  invalidIntents: 4013,
  disallowedIntents: 4014,
} as const;

type Identify = { token: string; intents: number };
type Resume = { token: string; session_id: string; seq: number };

/** The protocol of one connection. */
export class GatewayConnection {
  #socket: WebSocket;
  #server: GatewayServer;
  #session: Session | undefined;

  constructor(socket: WebSocket, server: GatewayServer) {
    this.#socket = socket;
    this.#server = server;
    socket.on('message', (data) => this.#receive(data));
    socket.on('close', () => this.#session?.detach());
    socket.on('error', () => {});
    this.#send({ op: OP.hello, d: { heartbeat_interval: server.facts.settings.heartbeatMs } });
  }

  terminate(): void {
    this.#session?.detach();
    this.#socket.terminate();
  }

  close(code: number): void {
    this.#session?.detach();
    this.#socket.close(code);
  }

  askToReconnect(): void {
    this.#send({ op: OP.reconnect, d: null });
  }

  #receive(data: RawData): void {
    const payload = parse(String(data));
    if (!payload) return this.close(CLOSE.decodeError);
    switch (payload.op) {
      case OP.heartbeat:
        this.#server.counts.heartbeats += 1;
        if (this.#server.acknowledgesHeartbeats) this.#send({ op: OP.heartbeatAck });
        return;
      case OP.identify:
        return this.#identify(payload.d as Identify);
      case OP.resume:
        return this.#resume(payload.d as Resume);
      case OP.updatePresence:
      case OP.updateVoiceState:
      case OP.requestGuildMembers:
        if (!this.#session) this.close(CLOSE.notAuthenticated);
        return;
      default:
        this.close(CLOSE.unknownOpcode);
    }
  }

  #identify({ token, intents }: Identify): void {
    const { settings, world, payloads, url } = this.#server.facts;
    if (this.#session) return this.close(CLOSE.alreadyAuthenticated);
    if (token !== settings.token) return this.close(CLOSE.authenticationFailed);
    if (!Number.isInteger(intents) || (intents & ~KNOWN_INTENTS) !== 0) {
      return this.close(CLOSE.invalidIntents);
    }
    if ((intents & INTENT.messageContent) !== 0 && !settings.messageContent) {
      return this.close(CLOSE.disallowedIntents);
    }
    this.#server.counts.identified += 1;
    const session = new Session(randomBytes(16).toString('hex'), intents);
    this.#attach(session);
    const guilds = [...world.guilds.values()].filter(({ members }) => members.has(world.bot.id));
    session.dispatch('READY', {
      v: 10,
      user: payloads.user(world.bot),
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: url,
      shard: [0, 1],
      application: { id: world.applicationId, flags: 0 },
    });
    if (!session.has(INTENT.guilds)) return;
    for (const guild of guilds) session.dispatch('GUILD_CREATE', payloads.guildCreate(guild));
  }

  #resume({ token, session_id, seq }: Resume): void {
    if (this.#session) return this.close(CLOSE.alreadyAuthenticated);
    if (token !== this.#server.facts.settings.token) return this.close(CLOSE.authenticationFailed);
    const session = this.#server.sessions.get(session_id);
    if (!session) return this.#send({ op: OP.invalidSession, d: false });
    if (seq > session.sequence) return this.close(CLOSE.invalidSequence);
    this.#server.counts.resumed += 1;
    this.#attach(session);
    session.replay(seq);
    session.dispatch('RESUMED', {});
  }

  #attach(session: Session): void {
    this.#session = session;
    this.#server.sessions.set(session.id, session);
    session.attach((event) => this.#send(event));
  }

  #send(payload: unknown): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(payload));
  }
}

function parse(text: string): { op: number; d: unknown } | undefined {
  try {
    return JSON.parse(text) as { op: number; d: unknown };
  } catch {
    return undefined;
  }
}
