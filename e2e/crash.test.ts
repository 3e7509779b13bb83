import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import type { LogEvent } from '@baton/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isRunning } from '../packages/cli/src/testing/baton.ts';
import { login, type Served, serveIn } from '../packages/cli/src/testing/served.ts';

let folder: string;
let served: Served;
let client: BatonClient;

async function begin(...more: string[]): Promise<void> {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-crash-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  served = await serveIn(join(folder, 'state'), 0, more);
  client = new BatonClient({ url: served.url, token: await login(served) });
  onTestFinished(() => client.close());
}

async function end(signal: NodeJS.Signals): Promise<void> {
  const gone = once(served.child, 'exit');
  served.child.kill(signal);
  await gone;
}

async function comeBack(...more: string[]): Promise<void> {
  served = await serveIn(join(folder, 'state'), Number(new URL(served.url).port), more);
}

type Executor = { task_id: string; pid: number };
const executors = () => client.connection.call<Executor[]>('executors', 'find', [{}]);

/** Begins a task that takes a minute, and waits until it does. */
async function longTask(): Promise<{ task_id: string; pid: number; session_id: string }> {
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const { task_id } = await client.sessions.executeTask(session_id, {
    prompt: 'demo:script [{"say":"Before."},{"shell":"sleep 60"}]',
    permission_mode: 'allow-all',
  });
  await vi.waitFor(async () => {
    const { data } = await client.messages.find({ session_id });
    expect(data.some(({ type }) => type === 'tool')).toBe(true);
  }, 20_000);
  const pid = (await executors()).find((each) => each.task_id === task_id)?.pid;
  if (!pid) throw new Error('There is no executor.');
  return { task_id, pid, session_id };
}

test('a daemon that is killed and started again loses nothing of a task that runs on meanwhile', async () => {
  await begin();
  const { session_id: id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const words = Array.from({ length: 300 }, (_, n) => ({ say: `word ${n}. ` }));
  const prompt = `demo:script ${JSON.stringify([...words.slice(0, 150), { shell: 'sleep 1.5' }, ...words.slice(150)])}`;
  const task = await client.sessions.executeTask(id, { prompt, permission_mode: 'allow-all' });
  const seen: LogEvent[] = [];
  const following = (async () => {
    for await (const event of client.follow(id)) {
      seen.push(event);
      if (event.type === 'run.completed') return;
    }
  })();
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(50), 20_000);
  await end('SIGKILL');
  await comeBack();
  await following;
  expect(seen.map(({ cursor }) => cursor)).toEqual(seen.map((_, index) => index + 1));
  const runs = seen.filter((event) => 'seq' in event).map((event) => 'seq' in event && event.seq);
  expect(runs).toEqual(runs.map((_, index) => index + 1));
  const said = seen
    .map((event) => (event.type === 'message.delta' && event.kind === 'text' ? event.text : ''))
    .join('');
  for (let n = 0; n < 300; n++) expect(said).toContain(`word ${n}.`);
  expect(await client.tasks.get(task.task_id)).toMatchObject({ status: 'COMPLETED' });
  await vi.waitFor(() => expect(readdirSync(join(folder, 'state/spool'))).toEqual([]), 10_000);
});

test('a task whose executor is killed fails with all its events and leaves no process', async () => {
  await begin();
  const { task_id, pid, session_id } = await longTask();
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(
    async () => expect((await client.tasks.get(task_id)).status).toBe('FAILED'),
    20_000,
  );
  const task = await client.tasks.get(task_id);
  expect(task.error).toMatchObject({ code: 'interrupted' });
  const { data } = await client.messages.find({ session_id });
  expect(data.map(({ type }) => type)).toEqual(['prompt', 'text', 'tool', 'result']);
  // The agent had said which session it is in, so that the next prompt goes on there.
  const next = await client.sessions.executeTask(session_id, {
    prompt: 'demo:script [{"say":"After."}]',
  });
  await vi.waitFor(
    async () => expect((await client.tasks.get(next.task_id)).status).toBe('COMPLETED'),
    20_000,
  );
  expect(task.native_session_id).not.toBeNull();
  const { native_session_id } = await client.tasks.get(next.task_id);
  expect(native_session_id).toBe(task.native_session_id);
});

test('a daemon that comes back after a crash has its executors again: they count, and end with it', async () => {
  await begin('--slots', '1');
  const { task_id, pid, session_id } = await longTask();
  await end('SIGKILL');
  await comeBack('--slots', '1');
  const other = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const waiting = await client.sessions.executeTask(other.session_id, { prompt: 'Hi' });
  expect(waiting.status).toBe('QUEUED');
  expect((await client.tasks.get(task_id)).status).toBe('RUNNING');
  await end('SIGTERM');
  expect(isRunning(pid)).toBe(false);
  await comeBack();
  const { data } = await client.messages.find({ session_id });
  expect(data.at(-1)).toMatchObject({ type: 'result', content: { outcome: 'cancelled' } });
});

test('detached executors keep running, and the next daemon takes them over', async () => {
  await begin('--detach-executors');
  const { task_id, pid, session_id } = await longTask();
  await end('SIGTERM');
  expect(isRunning(pid)).toBe(true);
  await comeBack();
  await client.sessions.stopTask(session_id, { task_id });
  await vi.waitFor(
    async () => expect((await client.tasks.get(task_id)).status).toBe('CANCELLED'),
    20_000,
  );
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 20_000);
});

test('an executor that is told to end while no daemon is reachable leaves its events to the next one', async () => {
  await begin();
  const { task_id, pid } = await longTask();
  await end('SIGKILL');
  process.kill(pid, 'SIGTERM');
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 30_000);
  await comeBack();
  await vi.waitFor(async () => {
    const { status, error } = await client.tasks.get(task_id);
    expect({ status, code: error?.code }).toEqual({ status: 'FAILED', code: 'interrupted' });
  }, 40_000);
  await end('SIGTERM');
}, 90_000);
