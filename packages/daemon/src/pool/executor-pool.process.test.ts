import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import type { TaskRow } from '@baton/store';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSession } from '../commands/create-session.ts';
import { queuePrompt } from '../commands/queue-prompt.ts';
import { stopTask } from '../commands/stop-task.ts';
import { takeFolder } from '../folder.ts';
import { SealedBox } from '../security/sealed-box.ts';
import { type Daemon, startDaemon } from '../start-daemon.ts';
import { ExecutorPool } from './executor-pool.ts';
import type { ExecutorCommand } from './start-executor.ts';

const baton = await createBaton({ settings: 'none' });

const AN_HOUR = 3_600_000;
const SILENT = { file: process.execPath, args: ['-e', 'setTimeout(() => {}, 60000)'] };

async function daemonWith(
  command: ExecutorCommand,
  more: { leaseMs?: number; stopMs?: number; confirmStopMs?: number; slots?: number } = {},
): Promise<Daemon & { folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-pool-'));
  const { slots, ...options } = more;
  const daemon = await startDaemon({
    folder,
    port: 0,
    logLevel: 'silent',
    executors: { command, slots },
    ...options,
  });
  onTestFinished(async () => {
    await daemon.close();
    rmSync(folder, { recursive: true });
  });
  return { ...daemon, folder };
}

async function newTask({ store }: Daemon): Promise<TaskRow> {
  const session = { cwd: '/', backend: 'demo', permissionMode: 'ask' as const };
  const { session_id } = await createSession(store, session);
  const taskId = await queuePrompt(store, session_id, { prompt: 'Hi' });
  const task = await store.records.tasks.get(taskId);
  if (!task) throw new Error('unreachable');
  return task;
}

const statusOf = async ({ store }: Daemon, { task_id }: TaskRow) =>
  (await store.records.tasks.get(task_id))?.status;

test('a task whose executor cannot be started has failed, and says why', async () => {
  const daemon = await daemonWith({ file: '/does/not/exist', args: [] });
  const task = await newTask(daemon);
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('FAILED'), 10_000);
  const { error } = (await daemon.store.records.tasks.get(task.task_id)) ?? {};
  expect(error).toContain('/does/not/exist');
});

test('an executor has a current folder, also when its spool folder is removed', async () => {
  const mark = join(mkdtempSync(join(tmpdir(), 'baton-cwd-')), 'cwd');
  onTestFinished(() => rmSync(dirname(mark), { recursive: true }));
  const script = `
    const fs = require('node:fs');
    const { spoolFolder } = JSON.parse(fs.readFileSync(0, 'utf8'));
    fs.rmSync(spoolFolder, { recursive: true });
    fs.writeFileSync(${JSON.stringify(mark)}, process.cwd());`;
  const daemon = await daemonWith({ file: process.execPath, args: ['-e', script] });
  await newTask(daemon);
  await vi.waitFor(() => expect(readFileSync(mark, 'utf8')).toBe('/'), 10_000);
});

test('the pool finds an executor by its id, and ends it with its process', async () => {
  const { store, taskTokens, folder } = await daemonWith(SILENT, { slots: 0 });
  const box = new SealedBox(Buffer.alloc(32));
  const log = pino({ level: 'silent' });
  const pool = new ExecutorPool(
    { baton, daemonId: 'd', store, taskTokens, box, log, leaseMs: AN_HOUR },
    {
      ...{ slots: 1, command: SILENT, url: 'http://127.0.0.1:9', spoolFolder: folder },
      ...{ stopMs: 1000, confirmStopMs: 1000 },
    },
  );
  onTestFinished(() => pool.close());
  const { session_id } = await createSession(store, {
    ...{ cwd: '/', backend: 'demo', permissionMode: 'ask' },
  });
  const taskId = await queuePrompt(store, session_id, { prompt: 'Hi' });
  await pool.wake();
  const executorId = (await store.records.tasks.get(taskId))?.executor_id ?? '';
  const held = pool.get(executorId);
  expect(held).toMatchObject({ lease: { task_id: taskId, session_id } });
  expect(held?.alive()).toBe(true);
  await pool.cleanup(executorId);
  expect(held?.alive()).toBe(false);
  expect(pool.get(executorId)).toBeUndefined();
  expect((await store.records.executors.get(executorId))?.ended_at).not.toBeNull();
});

/** The events of a task, by their types. */
const typesOf = async ({ store }: Daemon, { session_id }: TaskRow) =>
  (await store.log.read(session_id, 0, 100)).events.map(({ type }) => type);

/** An executor that takes its task, does something more, and ends without a word. */
const takesAnd = (more: string): ExecutorCommand => ({
  file: process.execPath,
  args: [
    '-e',
    `
    const { readFileSync } = require('node:fs');
    const { daemonUrl, token } = JSON.parse(readFileSync(0, 'utf8'));
    const post = (method, body, path = '/executors') =>
      fetch(daemonUrl + path, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(method === 'create' ? {} : { 'X-Service-Method': method }),
          Authorization: 'Bearer ' + token,
        },
        body: JSON.stringify(body),
      });
    (async () => {
      const facts = { host: 'h', pid: process.pid };
      ${more}
    })();`,
  ],
});

test('queues a task again whose executor ends before the agent starts, but not for ever', async () => {
  const daemon = await daemonWith({ file: process.execPath, args: ['-e', ''] });
  const task = await newTask(daemon);
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('FAILED'), 20_000);
  expect(await typesOf(daemon, task)).toEqual([
    'session.created',
    'prompt.queued',
    ...['task.started', 'task.requeued'],
    ...['task.started', 'task.requeued'],
    ...['task.started', 'task.lost'],
    'run.completed',
  ]);
  const { error } = (await daemon.store.records.tasks.get(task.task_id)) ?? {};
  expect(error).toContain('before they could start the agent');
});

test.each([
  [
    'that has announced its agent',
    "await post('create', { ...facts, announces_start: true }); await post('agentStarting', {});",
  ],
  ['that announces nothing', "await post('create', facts);"],
])('never queues a task again after an executor %s', async (_what, script) => {
  const daemon = await daemonWith(takesAnd(script));
  const task = await newTask(daemon);
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('FAILED'), 20_000);
  expect(await typesOf(daemon, task)).toEqual([
    'session.created',
    'prompt.queued',
    ...['task.started', 'task.lost'],
    'run.completed',
  ]);
});

test('a task whose executor exits silently fails, and the next one starts', async () => {
  const daemon = await daemonWith({ file: process.execPath, args: ['-e', ''] }, { slots: 1 });
  const tasks = [await newTask(daemon), await newTask(daemon)];
  for (const task of tasks) {
    await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('FAILED'), 10_000);
    const { error } = (await daemon.store.records.tasks.get(task.task_id)) ?? {};
    expect(error).toContain('interrupted');
  }
});

test('an executor that is silent for too long is ended, and its task has failed', async () => {
  const daemon = await daemonWith(SILENT, { leaseMs: 500, stopMs: 200 });
  const task = await newTask(daemon);
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('FAILED'), 20_000);
  await vi.waitFor(async () =>
    expect(await daemon.store.records.executors.find({ where: { ended_at: null } })).toEqual([]),
  );
});

test('an executor that does not stop its agent in time is killed, and its task is cancelled', async () => {
  const daemon = await daemonWith(SILENT, { stopMs: 200 });
  const task = await newTask(daemon);
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('RUNNING'), 10_000);
  await stopTask(daemon.store, task.session_id, { taskId: task.task_id });
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('CANCELLED'), 10_000);
});

/** An executor that reports what its agent says, and stays. */
function reports(said: string): ExecutorCommand {
  const script = `
    const { readFileSync } = require('node:fs');
    const { daemonUrl, token } = JSON.parse(readFileSync(0, 'utf8'));
    const headers = {
      'Content-Type': 'application/json',
      'X-Service-Method': 'append',
      Authorization: 'Bearer ' + token,
    };
    const events = ${said}.map((event, n) => ({ ...event, seq: n + 1, time: 1, runId: 'r' }));
    fetch(daemonUrl + '/messages', { method: 'POST', headers, body: JSON.stringify({ events }) });
    setInterval(() => {}, 1000);`;
  return { file: process.execPath, args: ['-e', script] };
}

test('an executor that does not confirm a stop is killed without waiting for it', async () => {
  const daemon = await daemonWith(SILENT, { stopMs: AN_HOUR, confirmStopMs: 100 });
  const task = await newTask(daemon);
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('RUNNING'), 10_000);
  await stopTask(daemon.store, task.session_id, { taskId: task.task_id });
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('CANCELLED'), 10_000);
  const { events } = await daemon.store.log.read(task.session_id, 0, 100);
  expect(events.slice(-3)).toMatchObject([
    { type: 'stop.requested' },
    { type: 'task.lost' },
    { type: 'run.completed', outcome: 'cancelled', stop: { state: 'stopped' } },
  ]);
});

test('an executor that confirms a stop again and again has its time for it', async () => {
  const confirms = takesAnd(`
    await post('create', facts);
    for (let n = 0; n < 120; n += 1) {
      await post('heartbeat', { idle_ms: 0, stopping: true });
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    const end = { type: 'run.completed', seq: 1, time: 1, runId: 'r' };
    const events = [{ ...end, outcome: 'cancelled', output: 'by itself', durationMs: 1 }];
    await post('append', { events }, '/messages');`);
  const daemon = await daemonWith(confirms, { stopMs: AN_HOUR, confirmStopMs: 2500 });
  const task = await newTask(daemon);
  const executors = () => daemon.store.records.executors.find({ where: { host: 'h' } });
  await vi.waitFor(async () => expect(await executors()).toHaveLength(1), 10_000);
  await stopTask(daemon.store, task.session_id, { taskId: task.task_id });
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('CANCELLED'), 10_000);
  expect(await typesOf(daemon, task)).not.toContain('task.lost');
});

test('an executor that stays when its task has ended is ended, and its slot is free again', async () => {
  const end = "[{ type: 'run.completed', outcome: 'done', output: '', durationMs: 1 }]";
  const daemon = await daemonWith(reports(end), { slots: 1, stopMs: 200 });
  const tasks = [await newTask(daemon), await newTask(daemon)];
  for (const task of tasks) {
    await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('COMPLETED'), 10_000);
  }
});

test('an unavailable database does not expire the leases of its executors', async () => {
  const daemon = await daemonWith(SILENT, { leaseMs: 600, stopMs: 200 });
  const { daemons } = daemon.store.records;
  const full = vi.spyOn(daemons, 'update').mockRejectedValue(new Error('disk full'));
  const task = await newTask(daemon);
  await vi.waitFor(() => expect(full.mock.calls.length).toBeGreaterThan(9), 20_000);
  expect(await statusOf(daemon, task)).toBe('RUNNING');
  full.mockRestore();
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('FAILED'), 20_000);
});

test('an executor that cannot be released does not block others', async () => {
  const daemon = await daemonWith(SILENT, { leaseMs: 600, stopMs: 100 });
  const { executors } = daemon.store.records;
  const get = executors.get.bind(executors);
  let stuck: string | undefined;
  let tries = 0;
  const broken = vi.spyOn(executors, 'get').mockImplementation(async (id) => {
    stuck ??= id;
    if (id !== stuck) return get(id);
    tries += 1;
    throw new Error('stuck');
  });
  onTestFinished(() => broken.mockRestore());
  const first = await newTask(daemon);
  await vi.waitFor(() => expect(tries).toBeGreaterThan(1), 20_000);
  expect((await daemon.store.records.tasks.get(first.task_id))?.executor_id).toBe(stuck);
  const second = await newTask(daemon);
  await vi.waitFor(async () => expect(await statusOf(daemon, second)).toBe('FAILED'), 10_000);
});

test('a daemon whose database fails on shutdown still exits and leaves its folder', async () => {
  const daemon = await daemonWith(SILENT, { stopMs: 100 });
  const task = await newTask(daemon);
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('RUNNING'), 10_000);
  const [executor] = await vi.waitFor(async () => {
    const rows = await daemon.store.records.executors.find({ where: { ended_at: null } });
    expect(rows).toHaveLength(1);
    return rows;
  });
  vi.spyOn(daemon.store.records.executors, 'get').mockRejectedValue(new Error('gone'));
  vi.spyOn(daemon.store.log, 'append').mockRejectedValue(new Error('gone'));
  await daemon.close();
  expect(() => process.kill(executor?.pid ?? 0, 0)).toThrow('ESRCH');
  takeFolder(daemon.folder).leave();
});

test("does not leak daemon secrets into the executor's environment or arguments", async () => {
  vi.stubEnv('BATON_MASTER_KEY', Buffer.alloc(32, 5).toString('hex'));
  vi.stubEnv('BATON_TOKEN', 'baton_of_a_person');
  vi.stubEnv('DATABASE_URL', 'postgres://somebody:secret@nowhere/db');
  const shown = join(mkdtempSync(join(tmpdir(), 'baton-shown-')), 'shown.json');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(dirname(shown), { recursive: true });
  });
  const show = `
    const { readFileSync, writeFileSync } = require('node:fs');
    const { token } = JSON.parse(readFileSync(0, 'utf8'));
    const seen = JSON.stringify(process.env) + process.argv.join(' ');
    writeFileSync('${shown}', JSON.stringify({
      names: Object.keys(process.env),
      isTokenSeen: token === undefined || seen.includes(token),
    }));`;
  const daemon = await daemonWith({ file: process.execPath, args: ['-e', show] });
  await newTask(daemon);
  const seen = await vi.waitFor(() => JSON.parse(readFileSync(shown, 'utf8')), 10_000);
  expect(seen.isTokenSeen).toBe(false);
  expect(seen.names).toContain('PATH');
  expect(seen.names).not.toContain('BATON_MASTER_KEY');
  expect(seen.names).not.toContain('BATON_TOKEN');
  expect(seen.names).not.toContain('DATABASE_URL');
});

test('a short database outage does not end the daemon', async () => {
  const daemon = await daemonWith({ file: process.execPath, args: ['-e', ''] }, { leaseMs: 300 });
  const claim = vi.spyOn(daemon.store.queue, 'claim').mockRejectedValue(new Error('gone'));
  const task = await newTask(daemon);
  await vi.waitFor(() => expect(claim.mock.calls.length).toBeGreaterThan(1));
  expect(await statusOf(daemon, task)).toBe('QUEUED');
  claim.mockRestore();
  await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('FAILED'), 10_000);
});

test('no more tasks run at the same time than there are slots', async () => {
  const daemon = await daemonWith(SILENT, { slots: 2, stopMs: 200 });
  for (let n = 0; n < 4; n++) await newTask(daemon);
  const count = (status: string) => daemon.store.records.tasks.count({ status });
  await vi.waitFor(async () => expect(await count('RUNNING')).toBe(2), 10_000);
  expect(await count('QUEUED')).toBe(2);
});

describe('tasks that need input', () => {
  const count = (daemon: Daemon, status: string) => daemon.store.records.tasks.count({ status });
  const has = (daemon: Daemon, status: string, number: number) =>
    vi.waitFor(async () => expect(await count(daemon, status)).toBe(number), 20_000);

  /** An agent that asks something, and says nothing more. */
  const ASKS = reports(`[{
    type: 'permission.requested', requestId: 'p', tool: 'Bash',
    action: { type: 'command', command: 'ls' }, scopes: ['once'],
  }]`);

  test('leave their slots to others', async () => {
    const daemon = await daemonWith(ASKS, { slots: 1, stopMs: 200 });
    for (let n = 0; n < 4; n++) await newTask(daemon);
    await has(daemon, 'AWAITING_PERMISSION', 4);
  });

  test('use slots beyond their own limit', async () => {
    const daemon = await daemonWith(ASKS, { slots: 1, stopMs: 200 });
    const name = 'executors.max_awaiting_input';
    await daemon.store.records.settings.put({ name, value: '2', updated_at: 1 });
    const tasks = [];
    for (let n = 0; n < 5; n++) tasks.push(await newTask(daemon));
    await has(daemon, 'AWAITING_PERMISSION', 3);
    expect(await count(daemon, 'QUEUED')).toBe(2);
    const [first] = tasks;
    if (!first) throw new Error('unreachable');
    await stopTask(daemon.store, first.session_id, { taskId: first.task_id });
    await has(daemon, 'CANCELLED', 1);
    await has(daemon, 'AWAITING_PERMISSION', 3);
  });
});

describe('a task whose machine is gone', () => {
  const onMars = { executorId: 'e', daemonId: 'another', host: 'mars', leaseMs: 300 };

  async function lostTask({ store }: Daemon): Promise<TaskRow> {
    const claim = await store.queue.claim(onMars);
    if (!claim) throw new Error('There is nothing to claim.');
    await store.leases.startAgent(claim.lease.task_id, claim.lease.fence);
    await store.records.executors.insert({
      executor_id: 'e',
      task_id: claim.task.task_id,
      session_id: claim.task.session_id,
      daemon_id: 'another',
      host: 'mars',
      pid: 4711,
      start_ticks: 1,
      started_at: 0,
      heartbeat_at: 0,
      progress_at: 0,
      ended_at: null,
      spool_folder: null,
    });
    return claim.task;
  }

  /** It starts nothing itself. */
  async function bystander(): Promise<Daemon> {
    const daemon = await daemonWith(SILENT, { leaseMs: 300, slots: 0 });
    await newTask(daemon);
    return daemon;
  }

  test('has failed, and says that something may still run there', async () => {
    const daemon = await bystander();
    const task = await lostTask(daemon);
    await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('FAILED'), 10_000);
    const { error } = (await daemon.store.records.tasks.get(task.task_id)) ?? {};
    expect(JSON.parse(error ?? '')).toMatchObject({ code: 'interrupted' });
    expect(error).toContain('mars');
  });

  test('is cancelled when a stop was requested, and not reported as verified', async () => {
    const daemon = await bystander();
    const task = await lostTask(daemon);
    const { session_id, task_id: taskId } = task;
    await stopTask(daemon.store, session_id, { taskId });
    await vi.waitFor(async () => expect(await statusOf(daemon, task)).toBe('CANCELLED'), 10_000);
    const entries = await daemon.store.entries(session_id, { taskId, limit: 100 });
    const stop = entries.find(({ kind }) => kind === 'stop');
    expect(entries.at(-1)).toMatchObject({
      kind: 'result',
      stop: {
        state: 'unverified',
        requestedAt: stop?.time,
        reason: expect.stringContaining('mars'),
      },
    });
  });
});

test('a folder belongs to one daemon at a time', async () => {
  const daemon = await daemonWith(SILENT);
  const again = startDaemon({ folder: daemon.folder, port: 0, logLevel: 'silent' });
  await expect(again).rejects.toMatchObject({ code: 'conflict' });
});
