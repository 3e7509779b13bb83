import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BatonClient } from '@baton/client';
import { afterAll, beforeAll, expect, inject, onTestFinished, vi } from 'vitest';

/** A daemon with its page, as `npm start` serves it. */
export type ServedPage = {
  url: string;
  /** The one-time link that the daemon printed. */
  link: string;
  /** The token of the owner. */
  token: string;
  client: BatonClient;
  /** A folder for agents to work in. */
  work: string;
  /** Kills the daemon without a shutdown. */
  kill(): Promise<void>;
  /** Starts it again at the same address. */
  restart(): Promise<void>;
  /** Stops the daemon and deletes its files. */
  close(): Promise<void>;
};

type Options = {
  env?: Record<string, string>;
  /** Leaves the link for the test to use. */
  keepLink?: boolean;
  /** Number of tasks that the daemon runs itself. */
  slots?: number;
};

/** Serves the page for one test and cleans up after it. */
export async function servePage(options: Options = {}): Promise<ServedPage> {
  const served = await launch(options);
  onTestFinished(served.close);
  return served;
}

/** Serves one page for all tests of a file that do not affect each other: starting a daemon takes a second. */
export function shareServedPage(options: Options = {}): () => ServedPage {
  let served: ServedPage | undefined;
  beforeAll(async () => {
    served = await launch(options);
  });
  afterAll(() => served?.close());
  return () => {
    if (!served) throw new Error('The page is served when the first test begins.');
    return served;
  };
}

async function launch(options: Options): Promise<ServedPage> {
  const home = mkdtempSync(join(tmpdir(), 'baton-page-'));
  const work = join(home, 'project');
  mkdirSync(work);
  const start = (port: number) => startDaemon(home, port, options);
  let daemon = await start(0);
  const { url, link } = daemon;
  const token = options.keepLink ? '' : await tokenFor(url, link);
  const client = new BatonClient({ url, token });
  return {
    ...{ url, link, token, client, work },
    kill: () => end(daemon.child, 'SIGKILL'),
    async restart() {
      daemon = await start(Number(new URL(url).port));
    },
    async close() {
      client.close();
      // What a killed daemon has left running, only one that knows of it ends.
      if (isOver(daemon.child)) daemon = await start(Number(new URL(url).port));
      await end(daemon.child, 'SIGTERM');
      await expectNoProcesses(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function startDaemon(home: string, port: number, { env = {}, slots = 4 }: Options) {
  const folder = join(home, 'daemon');
  const args = [
    'serve',
    '--folder',
    folder,
    '--port',
    `${port}`,
    '--slots',
    `${slots}`,
    '--stop-tasks',
  ];
  const child = spawn(process.execPath, [inject('baton'), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: home,
    env: { ...process.env, HOME: home, BATON_DEMO_PACE: '0', ...env },
  });
  const ready = once(createInterface({ input: child.stdout }), 'line');
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('The daemon ended.')));
  failed.catch(() => {});
  const [line] = (await Promise.race([ready, failed])) as [string];
  const link = /http\S+/.exec(line)?.[0] ?? '';
  return { child, link, url: new URL(link).origin };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (isOver(child)) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Fails if an executor or an agent outlives the daemon that started it; kills remaining processes. */
async function expectNoProcesses(home: string): Promise<void> {
  try {
    await vi.waitFor(() => expect(processesIn(home)).toEqual([]));
  } finally {
    for (const { pid } of processesIn(home)) process.kill(pid, 'SIGKILL');
  }
}

/** The processes with this home folder; only available on Linux. */
function processesIn(home: string): { pid: number; command: string }[] {
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
    } catch {
      return [];
    }
  };
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids
    .filter((pid) => read(pid, 'environ').includes(`HOME=${home}`))
    .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').join(' ') }));
}

async function tokenFor(url: string, link: string): Promise<string> {
  const stranger = new BatonClient({ url });
  try {
    const secret = link.split('#link=')[1] ?? '';
    return (await stranger.authentication.withLink(secret)).accessToken;
  } finally {
    stranger.close();
  }
}
