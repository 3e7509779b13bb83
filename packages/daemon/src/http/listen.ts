import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { Socket } from 'node:net';
import { BatonError } from '@baton/protocol';
import type { Application } from '@feathersjs/koa';
import type { Server as SocketServer } from 'socket.io';
import { answerBrokenRequests } from './broken-requests.ts';

/** The default port of a daemon. */
export const DEFAULT_PORT = 3030;
const PORTS_TRIED = 20;
const LOOPBACK = '127.0.0.1';
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * Time limits for sending a request, so that idle connections do not add up. A request that has arrived may wait for
 * its response.
 */
export const REQUEST_TIMES = {
  headersTimeout: 10_000,
  // Of an import or an attachment on a slow line.
  requestTimeout: 120_000,
  connectionsCheckingInterval: 1000,
};

/** Certificate and key of the server, as PEM. */
export type Tls = { cert: string; key: string };

type ListenOptions = {
  host: string;
  port: number | undefined;
  tls: Tls | undefined;
  /** Remembers the port for this machine, because executors that outlive a crash look for it again. */
  portFile: string;
  /** A client that reads nothing of a response for this long is disconnected. */
  stallMs: number;
};

type Listening = {
  /** The address for clients. */
  url: string;
  /** The address for processes on this machine: never encrypted, and never reachable from other machines. */
  localUrl: string;
  /** Disconnects all clients and stops listening. */
  close(): Promise<void>;
};

/** Starts the servers of an application; with TLS, a second one without encryption for this machine. */
export async function listen(
  app: Application,
  { host, port, tls, portFile, stallMs }: ListenOptions,
): Promise<Listening> {
  const answer = app.callback() as RequestListener;
  const main = tls ? encrypted(tls, answer) : createHttp(REQUEST_TIMES, answer);
  // Feathers closes the one that it knows.
  app.server = main;
  await app.setup(main);
  const { io } = app as unknown as { io: SocketServer };
  const local = tls && withSockets(createHttp(REQUEST_TIMES, answer), io);
  const servers = [main, ...(local ? [local] : [])];
  const lines = new Set<Socket>();
  for (const server of servers) {
    keepLines(server, lines);
    answerBrokenRequests(server);
    dropStalled(server, stallMs);
  }
  try {
    if (local) await beginAsBefore(local, portFile);
    if (port === undefined) await beginOnFreePort(main, host);
    else await begin(main, port, host);
    const url = addressOf(main, host, tls ? 'https' : 'http');
    return {
      url,
      localUrl: local ? addressOf(local, LOOPBACK, 'http') : url,
      close: () => closeAll(app, io, servers, lines),
    };
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
}

/** Attaches the sockets of an application to a second server; Socket.IO itself supports only one. */
function withSockets(server: Server, io: SocketServer): Server {
  const engine = io.engine as { attach(server: Server, options: { path: string }): void };
  engine.attach(server, { path: io.path() });
  return server;
}

function encrypted(tls: Tls, answer: RequestListener): Server {
  try {
    return createHttps({ ...REQUEST_TIMES, ...tls }, answer);
  } catch (error) {
    const { message } = error as Error;
    throw new BatonError('config_invalid', `Invalid TLS certificate or key: ${message}`, {
      hint: 'Both must be PEM files, and the key must match the certificate.',
      cause: error,
    });
  }
}

async function begin(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  const failed = once(server, 'error').then(([error]) => Promise.reject(error));
  await Promise.race([once(server, 'listening'), failed]).catch((error) => {
    throw new BatonError('usage', `Cannot listen on ${host}:${port}: ${error.message}`, {
      hint: 'Choose another port with --port.',
      cause: error,
    });
  });
}

async function beginAsBefore(server: Server, portFile: string): Promise<void> {
  const before = rememberedPort(portFile);
  await begin(server, before, LOOPBACK).catch(() => begin(server, 0, LOOPBACK));
  writeFileSync(portFile, String(portOf(server)), { mode: 0o600 });
}

function rememberedPort(portFile: string): number {
  try {
    return Number.parseInt(readFileSync(portFile, 'utf8'), 10) || 0;
  } catch {
    return 0;
  }
}

/** Disconnects clients that stop reading. A connection that only waits for a response is left alone. */
function dropStalled(server: Server, stallMs: number): void {
  server.setTimeout(stallMs, (line: Socket) => {
    if (line.writableLength > 0) line.destroy();
  });
}

function keepLines(server: Server, lines: Set<Socket>): void {
  server.on('connection', (line: Socket) => {
    lines.add(line);
    line.once('close', () => lines.delete(line));
  });
}

async function closeAll(
  app: Application,
  io: SocketServer,
  servers: readonly Server[],
  lines: ReadonlySet<Socket>,
): Promise<void> {
  io.disconnectSockets(true);
  // An open connection would keep the server from closing, even a dead one.
  for (const line of lines) line.destroy();
  const [, ...others] = servers;
  await Promise.all(others.map((server) => new Promise((resolve) => server.close(resolve))));
  await app.teardown();
}

/** Tries each port by listening on it: a port that was free when probed may be taken by now. */
async function beginOnFreePort(server: Server, host: string): Promise<void> {
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + PORTS_TRIED; port++) {
    try {
      return await begin(server, port, host);
    } catch (error) {
      const { code } = (error as BatonError).cause as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE') throw error;
    }
  }
  await begin(server, 0, host);
}

/** True if a host name or address is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host);
}

/** Returns the URL of a server; with the loopback address if it listens on all addresses. */
function addressOf(server: Server, host: string, scheme: string): string {
  const name = EVERYWHERE.has(host) ? LOOPBACK : host;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${portOf(server)}`;
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}
