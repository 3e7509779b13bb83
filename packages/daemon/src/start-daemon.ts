import { hkdfSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { openStore, type Store } from '@baton/store';
import { pino } from 'pino';
import type { Server as SocketServer } from 'socket.io';
import { createApp } from './app.ts';
import type { DaemonContext } from './context.ts';
import { Feed } from './feed/feed.ts';
import { type ExecutorCommand, ExecutorPool, type PoolContext } from './pool/executor-pool.ts';
import { masterKey } from './security/master-key.ts';
import { SealedBox } from './security/sealed-box.ts';
import { TaskTokens } from './security/task-token.ts';
import { addUser, linkFor } from './services/users/users.ts';

export const DEFAULT_PORT = 3030;
const PORTS_TRIED = 20;
const LEASE_MS = 30_000;
const STOP_MS = 10_000;
/** So many tasks run at the same time, unless told otherwise. */
const DEFAULT_SLOTS = 4;

export type DaemonOptions = {
  /** Where the database and the master key are, unless told otherwise. */
  folder: string;
  databaseUrl?: string | undefined;
  /** Free ports after it are tried when it is the default and taken; 0 is any free one. */
  port?: number | undefined;
  host?: string | undefined;
  origins?: readonly string[] | undefined;
  /** How much is told on standard error, as JSON; problems only unless told otherwise. */
  logLevel?: 'silent' | 'warn' | 'info' | undefined;
  leaseMs?: number | undefined;
  /** How tasks are carried out here; without it they wait for executors from elsewhere. */
  executors?:
    | {
        command: ExecutorCommand;
        slots?: number | undefined;
        /** Where they reach this daemon, when that is not its own address. */
        url?: string | undefined;
      }
    | undefined;
  /** How long an executor may take to stop its agent before it is killed. */
  stopMs?: number | undefined;
};

export type Daemon = {
  readonly url: string;
  readonly store: Store;
  readonly taskTokens: TaskTokens;
  /** The address that lets the owner in once; only at the first start. */
  readonly firstLink: string | undefined;
  close(): Promise<void>;
};

/** Starts a daemon: the database, the services, and what it listens on. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { folder, host = '127.0.0.1', logLevel = 'warn' } = options;
  const log = pino({ level: logLevel }, pino.destination(2));
  const store = await openStore({ url: options.databaseUrl ?? join(folder, 'baton.db') });
  const feed = new Feed(store);
  const key = masterKey({ file: join(folder, 'master.key') });
  let pool: ExecutorPool | undefined;
  const context: Omit<DaemonContext, 'subscribe'> = {
    daemonId: randomUUID(),
    store,
    feed,
    log,
    box: new SealedBox(derived(key, 'secrets at rest')),
    taskTokens: new TaskTokens({
      key: derived(key, 'task tokens'),
      lifeMs: 2 * (options.leaseMs ?? LEASE_MS),
      now: store.now,
    }),
    leaseMs: options.leaseMs ?? LEASE_MS,
    startWaiting: async () => pool?.wake(),
  };
  const app = createApp(context, { origins: options.origins ?? [] });
  const sockets = new Set<Socket>();
  const close = async () => {
    await pool?.close();
    feed.close();
    (app as { io?: SocketServer }).io?.disconnectSockets(true);
    // Whoever is still connected would keep it from ending, and be it by a line that has long been dead.
    for (const socket of sockets) socket.destroy();
    if (app.server?.listening) await app.teardown();
    await store.close();
  };
  try {
    const server = await listening(app, host, options.port);
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    const url = addressOf(server, host);
    pool = startPool(context, options, url);
    await pool?.wake();
    return {
      url,
      store,
      taskTokens: context.taskTokens,
      firstLink: await firstLink(store, url),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function startPool(
  context: PoolContext,
  { executors, folder, stopMs = STOP_MS }: DaemonOptions,
  url: string,
): ExecutorPool | undefined {
  if (!executors) return undefined;
  const spoolFolder = join(folder, 'spool');
  mkdirSync(spoolFolder, { recursive: true, mode: 0o700 });
  const { command, slots = DEFAULT_SLOTS } = executors;
  const address = executors.url ?? url;
  return new ExecutorPool(context, { command, slots, url: address, spoolFolder, stopMs });
}

/** Different uses get different keys, so that what is made for one is of no use for another. */
function derived(key: Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `baton ${use}`, 32));
}

type Listener = { listen(port: number, host: string): Promise<Server> };

async function listening(app: Listener, host: string, given?: number): Promise<Server> {
  const port = given ?? (await firstFreePort(host));
  const server = await app.listen(port, host);
  if (server.listening) return server;
  const failed = once(server, 'error').then(([error]) => Promise.reject(error));
  await Promise.race([once(server, 'listening'), failed]).catch((error) => {
    throw new BatonError('usage', `Cannot listen on ${host}:${port}: ${error.message}`, {
      hint: 'Choose another port with --port.',
      cause: error,
    });
  });
  return server;
}

async function firstFreePort(host: string): Promise<number> {
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + PORTS_TRIED; port++) {
    if (await isFree(host, port)) return port;
  }
  return 0;
}

async function isFree(host: string, port: number): Promise<boolean> {
  const probe = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  probe.once('error', () => resolve(false));
  probe.listen(port, host, () => probe.close(() => resolve(true)));
  return promise;
}

function addressOf(server: Server, host: string): string {
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The first start makes an owner, who logs in with a link and may then choose a password. */
async function firstLink(store: Store, url: string): Promise<string | undefined> {
  if ((await store.records.users.count()) > 0) return undefined;
  const owner = await addUser(store, { name: 'owner', role: 'owner' });
  return `${url}/#link=${await linkFor(store, owner)}`;
}
