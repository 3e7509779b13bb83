import type { Logger } from 'pino';
import type { Server, Socket } from 'socket.io';
import type { Authenticator } from '../access/authenticate.ts';
import type { Connection, ServiceDefinition } from '../service/definition.ts';
import type { ClientAddressOf } from './client-address.ts';
import { dropWhenSlow } from './drop-slow.ts';
import { limitFrames } from './frame-limit.ts';
import type { Routes } from './routes.ts';
import { answerErrors } from './socket-errors.ts';
import { tokenOf } from './token.ts';

/** The token of an executor is renewed while its connection lasts. */
const RENEW = 'token';

type FeathersSocket = Socket & { feathers: Connection };

type SocketsOptions = {
  services: readonly ServiceDefinition[];
  routes: Routes;
  log: Logger;
  authenticator: Authenticator;
  addressOf: ClientAddressOf;
};

/** The live connections, and the token that each of them shows. */
export class Sockets {
  #options: SocketsOptions;
  #sockets = new WeakMap<Connection, FeathersSocket>();

  constructor(options: SocketsOptions) {
    this.#options = options;
  }

  /** Takes the connections of a server. */
  accept(io: Server): void {
    const { services, routes, log, addressOf } = this.#options;
    const names = new Set([RENEW, ...services.flatMap(({ methods }) => Object.keys(methods))]);
    io.use(async (each, next) => {
      const socket = each as FeathersSocket;
      const { token, events } = socket.handshake.auth as { token?: unknown; events?: unknown };
      Object.assign(socket.feathers, {
        address: addressOf(socket.request),
        hearsEvents: events !== false,
      });
      this.#sockets.set(socket.feathers, socket);
      const shown = typeof token === 'string' ? token : tokenOf(socket.request);
      await this.showToken(socket.feathers, shown);
      next();
    });
    io.on('connection', (each) => {
      const socket = each as FeathersSocket;
      dropWhenSlow(socket.conn);
      answerErrors(socket, { names, log });
      socket.use((packet, next) => {
        routes.idFirst(packet);
        next();
      });
      socket.on(RENEW, (token: unknown) => {
        if (typeof token === 'string') void this.showToken(socket.feathers, token);
      });
    });
  }

  /** Makes a connection act as the owner of a token. A database that does not answer leaves its limits as they are. */
  async showToken(connection: Connection, token: string | undefined): Promise<void> {
    Object.assign(connection, { token });
    const principal = await this.#options.authenticator.whoShows(token).catch(() => undefined);
    const socket = this.#sockets.get(connection);
    if (principal && socket) limitFrames(socket.conn, principal);
  }
}
