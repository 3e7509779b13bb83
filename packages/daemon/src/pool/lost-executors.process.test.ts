import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentEvent,
  attachmentsName,
  nextSpoolName,
  rawName,
  spoolLine,
  spoolName,
} from '@baton/protocol';
import { appendRun, type Claim, openStore, type Store } from '@baton/store';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { changeSession } from '../commands/change-session.ts';
import { createSession } from '../commands/create-session.ts';
import { queuePrompt } from '../commands/queue-prompt.ts';
import { startDaemon } from '../start-daemon.ts';
import { FORGERIES } from '../testing/forged-events.ts';
import { lostLeases } from './lost-executors.ts';
import { SilenceWatch } from './silence-watch.ts';

const NO_EXECUTOR = { file: process.execPath, args: ['-e', ''] };
const HOUR = 3_600_000;
const LEASE = 30_000;
/** Of a process that is gone: no process was born so early. */
const GONE = { pid: process.pid, start_ticks: 1 };

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-lost-'));
  mkdirSync(join(folder, 'spool'));
  store = await openStore({ url: join(folder, 'baton.db') });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
});

const SESSION = { cwd: '/', backend: 'demo', permissionMode: 'ask' as const };

/** A task that an executor of an earlier daemon holds. */
async function held(leaseMs: number, executor: object): Promise<Claim> {
  const { session_id } = await createSession(store, SESSION);
  await queuePrompt(store, session_id, { prompt: 'Hi' });
  const executorId = randomUUID();
  const claimant = { executorId, daemonId: 'earlier', host: hostname(), leaseMs };
  const claim = await store.queue.claim(claimant);
  if (!claim) throw new Error('unreachable');
  await store.leases.startAgent(claim.task.task_id, claim.lease.fence);
  await store.records.executors.put({
    executor_id: executorId,
    task_id: claim.task.task_id,
    session_id,
    daemon_id: 'earlier',
    host: hostname(),
    pid: null,
    start_ticks: null,
    started_at: 0,
    heartbeat_at: store.now(),
    progress_at: 0,
    ended_at: null,
    spool_folder: null,
    ...executor,
  });
  return claim;
}

type CameBack = { looked(times: number): Promise<void>; warnings(): object[] };

/** Comes back as a daemon; gives a way to wait until it has looked around so often, and its warnings. */
async function comeBack(leaseMs: number): Promise<CameBack> {
  const lines: string[] = [];
  const daemon = await startDaemon({
    folder,
    port: 0,
    logLevel: 'warn',
    logTo: { write: (line) => void lines.push(line) },
    leaseMs,
    executors: { command: NO_EXECUTOR },
  });
  onTestFinished(() => daemon.close());
  const looks = vi.spyOn(daemon.store.leases, 'all');
  return {
    warnings: () =>
      lines.map((line) => JSON.parse(line)).filter(({ level, seq }) => level === 40 && seq),
    looked: (times) =>
      vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThanOrEqual(times), 20_000),
  };
}

const taskOf = ({ task }: Claim) => store.records.tasks.get(task.task_id);
const failed = (claim: Claim) =>
  vi.waitFor(async () => expect((await taskOf(claim))?.status).toBe('FAILED'), 20_000);

const said = (runId: string, seq: number): AgentEvent => ({
  type: 'unparsed',
  seq,
  time: 1,
  runId,
  source: 'stdout',
  line: `line ${seq}`,
});

test('an executor that is gone from this machine is not waited for', async () => {
  const claim = await held(HOUR, GONE);
  await comeBack(600);
  await failed(claim);
  expect((await taskOf(claim))?.error).toContain('interrupted');
});

test('an answer that is given first thing after a reboot resumes the task', async () => {
  writeFileSync(join(folder, 'daemon.id'), 'earlier');
  const { task, lease } = await held(HOUR, GONE);
  const { session_id: sessionId, task_id: taskId } = task;
  const stamp = { time: 1, runId: 'r' };
  const action = { type: 'command', command: 'ls' } as const;
  const events: AgentEvent[] = [
    { ...stamp, seq: 1, type: 'run.identified', nativeSessionId: 'n' },
    {
      ...{ ...stamp, seq: 2, type: 'permission.requested', requestId: 'p' },
      ...{ tool: 'Bash', action, scopes: ['once'] },
    },
  ];
  await appendRun(store.log, { sessionId, taskId, fence: lease.fence, events });
  const requestPolicy = { afterMs: 0, action: 'allow' } as const;
  await changeSession(store, sessionId, { changes: { requestPolicy } });
  await comeBack(HOUR);
  const { events: logged } = await store.log.read(sessionId, 0, 100);
  const types = logged.map(({ type }) => type);
  expect(types.filter((type) => /^(task\.(paused|resumed)|answer\.given)$/.test(type))).toEqual([
    'task.paused',
    'answer.given',
    'task.resumed',
  ]);
});

test('its spool is read, wherever it is', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'baton-elsewhere-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  const claim = await held(HOUR, { ...GONE, spool_folder: elsewhere });
  const spool = join(elsewhere, spoolName(claim.task.task_id));
  writeFileSync(spool, [1, 2].map((seq) => spoolLine(said('r', seq))).join(''));
  await comeBack(600);
  await failed(claim);
  const { events } = await store.log.read(claim.task.session_id, 0, 100);
  expect(events.flatMap((event) => ('line' in event ? event.line : []))).toEqual([
    'line 1',
    'line 2',
  ]);
  expect(existsSync(spool)).toBe(false);
});

test('a large spool is read in parts, and an invalid line is skipped', async () => {
  const claim = await held(HOUR, GONE);
  const line = 'x'.repeat(100_000);
  const events = Array.from({ length: 40 }, (_, n) => ({ ...said('r', n + 1), line }));
  const nonsense = { seq: 41, runId: 'r' } as AgentEvent;
  const path = join(folder, 'spool', spoolName(claim.task.task_id));
  writeFileSync(path, [...events, nonsense, said('r', 42)].map(spoolLine).join(''));
  writeFileSync(nextSpoolName(path), 'half of');
  await comeBack(600);
  await failed(claim);
  expect((await taskOf(claim))?.reported_seq).toBe(42);
  expect(readdirSync(join(folder, 'spool'))).toEqual([]);
});

test.each([
  ['a link', symlinkSync],
  ['another name', linkSync],
])('%s in a spool folder exposes no other file', async (_what, link) => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'baton-elsewhere-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  const claim = await held(HOUR, { ...GONE, spool_folder: elsewhere });
  const { task_id, session_id } = claim.task;
  const secret = join(elsewhere, 'secret');
  writeFileSync(secret, spoolLine(said('r', 1)));
  link(secret, join(elsewhere, rawName(task_id)));
  link(secret, join(elsewhere, spoolName(task_id)));
  await comeBack(600);
  await failed(claim);
  expect(await store.rawOutput.read(task_id, 0, 10)).toEqual([]);
  const { events } = await store.log.read(session_id, 0, 100);
  expect(events.some((event) => 'line' in event)).toBe(false);
  expect(readdirSync(elsewhere)).toEqual(['secret']);
});

test('an unusable spool folder does not keep a task from ending', async () => {
  const claim = await held(HOUR, { ...GONE, spool_folder: join(folder, 'baton.db') });
  await comeBack(600);
  await failed(claim);
});

test('a spool folder of another machine means nothing here', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'baton-elsewhere-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  const claim = await held(-HOUR, { host: 'elsewhere', spool_folder: elsewhere });
  const spool = join(elsewhere, spoolName(claim.task.task_id));
  writeFileSync(spool, spoolLine(said('r', 1)));
  await comeBack(600);
  await failed(claim);
  expect(existsSync(spool)).toBe(true);
});

test('an invalid spool does not keep its task or others from ending', async () => {
  const bad = await held(HOUR, GONE);
  const good = await held(HOUR, GONE);
  const events = [said('r', 1), said('r', 3), said('another run', 2)];
  writeFileSync(join(folder, 'spool', spoolName(bad.task.task_id)), events.map(spoolLine).join(''));
  await comeBack(600);
  await failed(bad);
  await failed(good);
});

test('a lease that expired while no daemon was running is extended until a heartbeat is possible', async () => {
  const claim = await held(-1, {});
  const { looked } = await comeBack(3000);
  for (const looks of [1, 2, 3, 4]) {
    await looked(looks);
    await store.leases.renew(claim.task.task_id, claim.lease.fence, 3000);
  }
  await looked(5);
  expect((await taskOf(claim))?.status).toBe('RUNNING');
});

/** Looks for lost leases at moments of a clock that nobody sets. */
function looks(leaseMs: number) {
  let time = 0;
  const silence = new SilenceWatch({ leaseMs, now: () => time });
  return async () => {
    time += leaseMs / 3;
    silence.look();
    const lost = await lostLeases(store, { leaseMs, silence, isOwn: () => false });
    return lost.map(({ task_id }) => task_id);
  };
}

test('a lost executor on another machine is left to the daemons there for one more lease', async () => {
  const here = (await held(HOUR, {})).task.task_id;
  const there = (await held(HOUR, { host: 'elsewhere' })).task.task_id;
  const look = looks(LEASE);
  const found: string[][] = [];
  for (let n = 0; n < 7; n++) found.push((await look()).toSorted());
  expect(found).toEqual([[], [], [], [here], [here], [here], [here, there].toSorted()]);
});

test.each([
  ['forward', HOUR],
  ['back', -HOUR],
])('a clock step %s neither loses an executor nor keeps a silent one', async (_way, step) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const [heard, silent] = [await held(LEASE, {}), await held(LEASE, {})];
  const look = looks(LEASE);
  const found: string[][] = [];
  for (let n = 0; n < 5; n++) {
    if (n === 1) vi.setSystemTime(Date.now() + step);
    found.push(await look());
    await store.leases.renew(heard.task.task_id, heard.lease.fence, LEASE);
  }
  const lost = [silent.task.task_id];
  expect(found).toEqual([[], [], [], lost, lost]);
});

test('nothing of a lost executor runs on, also when only its mark is known', async () => {
  const claim = await held(-1, { pid: 1 });
  const mark = `BATON_RUN_${claim.lease.executor_id.replaceAll('-', '_')}`;
  const child = spawn('sleep', ['60'], { env: { [mark]: '1' }, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit');
  await comeBack(300);
  expect(await exit).toEqual([null, 'SIGKILL']);
  await failed(claim);
});

test('an executor whose end was not reported counts as ended', async () => {
  const claim = await held(HOUR, GONE);
  await store.log.append(claim.task.session_id, () => ({
    drafts: [
      {
        ...said('r', 1),
        type: 'run.completed',
        outcome: 'done',
        output: '',
        durationMs: 1,
        taskId: claim.task.task_id,
      },
    ],
    result: undefined,
  }));
  await comeBack(600);
  await vi.waitFor(async () =>
    expect(await store.records.executors.find({ where: { ended_at: null } })).toEqual([]),
  );
  expect((await taskOf(claim))?.status).toBe('COMPLETED');
});

test('raw output is read later when it was not possible at the end', async () => {
  const claim = await held(HOUR, GONE);
  const { task_id, session_id } = claim.task;
  const ended = { outcome: 'done' as const, output: '', durationMs: 1, taskId: task_id };
  await store.log.append(session_id, () => ({
    drafts: [{ ...said('r', 1), type: 'run.completed', ...ended }],
    result: undefined,
  }));
  const spools = join(folder, 'spool');
  writeFileSync(join(spools, rawName(task_id)), '1 Hello.\n');
  mkdirSync(join(spools, attachmentsName(task_id)));
  await comeBack(600);
  await vi.waitFor(() => expect(readdirSync(spools)).toEqual([]), 20_000);
  const [printed] = await store.rawOutput.read(task_id, 0, 10);
  expect(printed?.bytes.toString()).toBe('1 Hello.\n');
});

/** The folder of a daemon that has ended, with its id. */
async function endedDaemon(): Promise<string> {
  const daemon = await startDaemon({ folder, port: 0, logLevel: 'silent' });
  const [row] = await daemon.store.records.daemons.find();
  await daemon.close();
  return row?.daemon_id ?? '';
}

test('a task whose daemon died before it started an executor is queued again at once', async () => {
  const daemonId = await endedDaemon();
  const { session_id } = await createSession(store, SESSION);
  const taskId = await queuePrompt(store, session_id, { prompt: 'Hi' });
  await store.queue.claim({ executorId: 'e', daemonId, host: hostname(), leaseMs: HOUR });
  const command = NO_EXECUTOR;
  const executors = { command, slots: 0 };
  const daemon = await startDaemon({ folder, port: 0, logLevel: 'silent', executors });
  onTestFinished(() => daemon.close());
  // No time has passed: the lease is good for an hour, and nobody has looked around since the start.
  expect(await store.records.tasks.get(taskId)).toMatchObject({
    status: 'QUEUED',
    failed_starts: 0,
  });
  expect(await store.leases.all()).toEqual([]);
});

test('an executor that its daemon had not written down is ended before its task is queued again', async () => {
  const daemonId = await endedDaemon();
  const { session_id } = await createSession(store, SESSION);
  await queuePrompt(store, session_id, { prompt: 'Hi' });
  await store.queue.claim({ executorId: 'e-1', daemonId, host: hostname(), leaseMs: HOUR });
  const child = spawn('sleep', ['60'], { env: { BATON_RUN_e_1: '1' }, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit');
  await comeBack(HOUR);
  expect(await exit).toEqual([null, 'SIGKILL']);
});

test('a removed spool folder does not keep later tasks from running', async () => {
  const started = join(folder, 'started');
  const command = {
    file: process.execPath,
    args: ['-e', `require('node:fs').appendFileSync('${started}', 'x')`],
  };
  const daemon = await startDaemon({ folder, port: 0, logLevel: 'silent', executors: { command } });
  onTestFinished(() => daemon.close());
  rmSync(join(folder, 'spool'), { recursive: true });
  const { session_id } = await createSession(daemon.store, SESSION);
  await queuePrompt(daemon.store, session_id, { prompt: 'Hi' });
  await vi.waitFor(() => expect(existsSync(started)).toBe(true), 20_000);
});

test('a removed spool folder does not hide a silent executor', async () => {
  const claim = await held(HOUR, {});
  await comeBack(600);
  rmSync(join(folder, 'spool'), { recursive: true });
  await failed(claim);
});

test('a spool cannot forge an event of any type', async () => {
  const request = { tool: 'shell', action: { type: 'other' }, scopes: ['once'] };
  // One daemon for all of them: each start takes seconds.
  const planted = [];
  for (const { what, event } of FORGERIES) {
    const claim = await held(HOUR, GONE);
    const { task_id: taskId, session_id: sessionId } = claim.task;
    const asked = { ...said('r', 1), type: 'permission.requested', requestId: 'r', ...request };
    const forged = { seq: 2, time: 1, runId: 'r', ...event({ taskId, ownerId: 'the owner' }) };
    const lines = [asked, forged, said('r', 3)].map((line) => spoolLine(line as AgentEvent));
    writeFileSync(join(folder, 'spool', spoolName(taskId)), lines.join(''));
    const { events } = await store.log.read(sessionId, 0, 100);
    planted.push({ what, claim, taskId, sessionId, before: events.length });
  }
  const { warnings } = await comeBack(600);
  for (const { what, claim, taskId, sessionId, before } of planted) {
    await failed(claim);
    const { events } = await store.log.read(sessionId, 0, 100);
    const [first, second, third, ...rest] = events.slice(before);
    expect(first, what).toMatchObject({ type: 'permission.requested', seq: 1 });
    expect(second, what).toMatchObject({
      seq: 2,
      type: expect.stringMatching(/^notice$|\.resolved$/),
    });
    expect(JSON.stringify(second), what).not.toMatch(/"by":"(person|the owner)"|"allow"|yes/);
    expect(third, what).toMatchObject({ line: 'line 3' });
    expect(rest.at(-1), what).toMatchObject({ type: 'run.completed', synthetic: true });
    const own = warnings().filter((each) => 'taskId' in each && each.taskId === taskId);
    expect(own, what).toEqual([expect.objectContaining({ taskId, seq: 2 })]);
  }
});

test('a forged line before the event with the same number leaves no trace', async () => {
  const claim = await held(HOUR, GONE);
  const { task_id: taskId, session_id: sessionId } = claim.task;
  const forged = { ...said('r', 2), type: 'stop.requested' } as unknown as AgentEvent;
  const lines = [said('r', 1), forged, said('r', 2), said('r', 3)].map(spoolLine);
  writeFileSync(join(folder, 'spool', spoolName(taskId)), lines.join(''));
  await comeBack(600);
  await failed(claim);
  const { events } = await store.log.read(sessionId, 0, 100);
  const found = events.flatMap((event) => ('line' in event ? event.line : []));
  expect(found).toEqual(['line 1', 'line 2', 'line 3']);
  expect(events.map(({ type }) => type)).not.toContain('notice');
});
