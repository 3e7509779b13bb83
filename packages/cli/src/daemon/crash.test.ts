import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import type { LogEvent } from '@baton/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { login, type Served, serveIn } from '../testing/served.ts';

let folder: string;
let served: Served;
let client: BatonClient;

async function begin(): Promise<void> {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-crash-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  served = await serveIn(join(folder, 'state'));
  client = new BatonClient({ url: served.url, token: await login(served) });
  onTestFinished(() => client.close());
}

async function crashAndComeBack(): Promise<void> {
  const port = Number(new URL(served.url).port);
  served.child.kill('SIGKILL');
  await once(served.child, 'exit');
  served = await serveIn(join(folder, 'state'), port);
}

test('a daemon that is killed and started again loses nothing of a task that runs on meanwhile', async () => {
  await begin();
  const { session_id: id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const words = Array.from({ length: 300 }, (_, n) => ({ say: `word ${n}. ` }));
  const prompt = `demo:script ${JSON.stringify([...words.slice(0, 150), { shell: 'sleep 1.5' }, ...words.slice(150)])}`;
  const task = await client.sessions.executeTask(id, { prompt, permissionMode: 'allow-all' });
  const seen: LogEvent[] = [];
  const following = (async () => {
    for await (const event of client.follow(id)) {
      seen.push(event);
      if (event.type === 'run.completed') return;
    }
  })();
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(50), 20_000);
  await crashAndComeBack();
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
}, 60_000);

test('a task whose executor is killed has failed, with all that it had said, and nothing of it runs on', async () => {
  await begin();
  const { session_id: id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const prompt = 'demo:script [{"say":"Before."},{"shell":"sleep 60"}]';
  const { task_id } = await client.sessions.executeTask(id, {
    prompt,
    permissionMode: 'allow-all',
  });
  await vi.waitFor(async () => {
    const { data } = await client.messages.find({ session_id: id });
    expect(data.some(({ type }) => type === 'tool')).toBe(true);
  }, 20_000);
  type Executor = { task_id: string; pid: number };
  const executors = await client.connection.call<Executor[]>('executors', 'find', [{}]);
  const pid = executors.find((each) => each.task_id === task_id)?.pid;
  if (!pid) throw new Error('There is no executor.');
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(
    async () => expect((await client.tasks.get(task_id)).status).toBe('FAILED'),
    20_000,
  );
  const task = await client.tasks.get(task_id);
  expect(task.error).toMatchObject({ code: 'interrupted' });
  const { data } = await client.messages.find({ session_id: id });
  expect(data.map(({ type }) => type)).toEqual(['prompt', 'text', 'tool', 'result']);
}, 60_000);
