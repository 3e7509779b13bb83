import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import type { LogEvent, TaskRecord } from '@baton/protocol';
import { openStore, type Store } from '@baton/store';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { freePort } from '../packages/store/src/testing/free-port.ts';
import { sharedDatabase } from '../packages/store/src/testing/shared-database.ts';
import { wholeLog } from './checks/check-store.ts';
import { login } from './world/login.ts';
import { kill, processesWith } from './world/processes.ts';
import { ServedDaemon } from './world/served-daemon.ts';

type Seat = { daemon: ServedDaemon; client: BatonClient };

let folder: string;
let mark: string;
let env: Record<string, string>;
let store: Store | undefined;
let token: string;
let a: Seat;
let b: Seat;
const clients: BatonClient[] = [];

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-two-')));
  mkdirSync(join(folder, 'home'));
  mark = randomUUID();
  token = '';
  env = {
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    BATON_DEMO_PACE: '5',
    BATON_MASTER_KEY: randomBytes(32).toString('hex'),
    DATABASE_URL: await sharedDatabase(),
    BATON_TWO: mark,
  };
  // The first one has a single slot, so that what it cannot take goes to the other.
  store = undefined;
  a = await seat('a', 1);
  b = await seat('b', 4);
  store = await openStore({ url: env.DATABASE_URL ?? '' });
}, 60_000);
afterEach(async () => {
  // By their mark, so that nothing is left either when the beginning failed.
  for (const { pid } of processesWith(mark)) kill(pid);
  for (const client of clients.splice(0)) client.close();
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

function opened(): Store {
  if (!store) throw new Error('The database is not open.');
  return store;
}

async function seat(name: string, slots: number): Promise<Seat> {
  const port = await freePort();
  const daemon = new ServedDaemon({
    main: inject('baton'),
    args: [
      ...['--folder', join(folder, name), '--port', `${port}`],
      ...['--slots', `${slots}`, '--lease', '10'],
    ],
    env,
    logFile: join(folder, `${name}.log`),
  });
  await daemon.start();
  const url = `http://127.0.0.1:${port}`;
  token ||= await login(url, daemon);
  const client = new BatonClient({ url, token });
  clients.push(client);
  return { daemon, client };
}

const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;
const TALK = { say: Array.from({ length: 200 }, (_, n) => `word-${n}`).join(' ') };

async function begin(
  { client }: Seat,
  prompt: string,
  permissionMode: 'ask' | 'allow-all' = 'allow-all',
): Promise<TaskRecord> {
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  return client.sessions.executeTask(session_id, { prompt, permission_mode: permissionMode });
}

function ended({ client }: Seat, { task_id }: TaskRecord): Promise<TaskRecord> {
  return vi.waitFor(async () => {
    const task = await client.tasks.get(task_id);
    expect(task.completed_at).not.toBeNull();
    return task;
  }, 60_000);
}

/** Waits until the agent of a task has said something. */
async function talking({ client }: Seat, { session_id }: TaskRecord): Promise<void> {
  for await (const { type } of client.follow(session_id)) if (type === 'message.delta') return;
}

/** The daemon that carried out a task. */
const daemonOf = async ({ task_id }: TaskRecord) =>
  (await opened().records.executors.find({ where: { task_id } })).map(({ daemon_id }) => daemon_id);

/** Lets the first daemon carry out a task; it has room for no other then. */
async function occupyA(prompt = 'demo:stall'): Promise<TaskRecord> {
  // It is queued while the other one is away, so that nobody else can take it.
  await b.daemon.stop();
  const task = await begin(a, prompt);
  await b.daemon.start();
  await talking(a, task);
  return task;
}

test('each task runs once, whichever daemon got it', async () => {
  const tasks: TaskRecord[] = [];
  for (let n = 0; n < 24; n += 1) {
    tasks.push(await begin(n % 2 === 0 ? a : b, script({ say: `Number ${n}.` })));
  }
  const daemons = new Set<string>();
  for (const [n, task] of tasks.entries()) {
    const { output } = await ended(n % 2 === 0 ? b : a, task);
    expect(output).toBe(`Number ${n}.`);
    const log = await wholeLog(opened(), task.session_id);
    expect(log.filter(({ type }) => type === 'task.started')).toHaveLength(1);
    expect(log.filter(({ type }) => type === 'run.started')).toHaveLength(1);
    for (const id of await daemonOf(task)) daemons.add(id);
  }
  expect(daemons.size, 'both have worked').toBe(2);
}, 120_000);

test('a client of one daemon follows, answers and stops tasks of the other', async () => {
  const own = await occupyA();
  const asking = await begin(a, script(TALK, { shell: 'echo done' }, TALK), 'ask');
  const seen: LogEvent[] = [];
  for await (const event of a.client.follow(asking.session_id)) {
    seen.push(event);
    if (event.type === 'permission.requested') {
      const { session_id, task_id } = asking;
      const answer = { decision: 'allow' as const };
      const given = { session_id, task_id, request_id: event.requestId, answer };
      expect(await a.client.permissions.answer(given)).toEqual({ receipt: 'accepted' });
    }
    if (event.type === 'run.completed') break;
  }
  expect(await ended(b, asking)).toMatchObject({ status: 'COMPLETED' });
  expect(seen).toEqual(await wholeLog(opened(), asking.session_id));
  expect(await daemonOf(asking)).not.toEqual(await daemonOf(own));

  const stalling = await begin(b, 'demo:stall');
  await talking(a, stalling);
  const { session_id, task_id } = stalling;
  const { receipt } = await a.client.sessions.stopTask(session_id, { task_id });
  expect(receipt).toBe('stopping');
  expect(await ended(b, stalling)).toMatchObject({ status: 'CANCELLED' });
  await b.client.sessions.stopTask(own.session_id, { task_id: own.task_id });
  expect(await ended(b, own)).toMatchObject({ status: 'CANCELLED' });
}, 120_000);

test('when one daemon is killed and stays down, the other ends its tasks and continues the queue', async () => {
  const own = await occupyA();
  // Its turn comes after the task that is running when its daemon is killed.
  const next = await a.client.sessions.executeTask(own.session_id, {
    prompt: script({ say: 'At last.' }),
  });
  const talk = await begin(b, script(TALK));
  a.daemon.kill();
  expect(await ended(b, talk)).toMatchObject({ status: 'COMPLETED' });
  expect(await ended(b, own)).toMatchObject({ status: 'FAILED', error: { code: 'interrupted' } });
  expect(await ended(b, next)).toMatchObject({ status: 'COMPLETED', output: 'At last.' });
  const left = () => processesWith(mark).filter(({ executorId }) => executorId !== undefined);
  await vi.waitFor(() => expect(left()).toEqual([]), 20_000);
}, 120_000);

test('when one daemon is killed and stays down, the other reads the spools of its executors', async () => {
  const own = await occupyA(script(TALK));
  a.daemon.kill();
  const { status, output } = await ended(b, own);
  expect(status).toBe('COMPLETED');
  expect(output).toContain('word-199');
  const log = await wholeLog(opened(), own.session_id);
  const said = log.map((event) => (event.type === 'message.delta' ? event.text : '')).join('');
  expect(said).toBe(TALK.say);
}, 120_000);

test('one that is killed and comes back finds its executors again', async () => {
  const own = await occupyA(script(TALK, { shell: 'sleep 2' }, TALK));
  await a.daemon.crash(500);
  const { status, output } = await ended(b, own);
  expect([status, output]).toEqual(['COMPLETED', expect.stringContaining('word-199')]);
}, 120_000);
