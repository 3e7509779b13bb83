import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import { BatonClient } from '@baton/client';
import { type Daemon, endTask, startDaemon } from '@baton/daemon';
import { executeTask } from '@baton/executor';
import { spoolEvents, spoolName, type TaskRecord } from '@baton/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let folder: string;
let daemon: Daemon;
let token: string;
let client: BatonClient;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-executor-')));
  vi.stubEnv('HOME', folder);
  vi.stubEnv('BATON_DEMO_PACE', '2');
  daemon = await startDaemon({ folder, port: 0, logLevel: 'silent' });
  const stranger = new BatonClient({ url: daemon.url });
  const args = [{ strategy: 'link', secret: daemon.firstLink?.split('#link=')[1] }];
  type Login = { accessToken: string };
  ({ accessToken: token } = await stranger.connection.call<Login>(
    'authentication',
    'create',
    args,
  ));
  stranger.close();
  client = new BatonClient({ url: daemon.url, token });
});
afterEach(async () => {
  client.close();
  await daemon.close();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const WORDS = Array.from({ length: 100 }, (_, n) => `word-${n}`).join(' ');

async function newTask(...steps: object[]): Promise<TaskRecord> {
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const prompt = `demo:script ${JSON.stringify(steps)}`;
  return client.sessions.executeTask(session_id, { prompt, permission_mode: 'allow-all' });
}

const spoolFolder = () => join(folder, 'spools');
const carryOut = async ({ task_id }: TaskRecord) =>
  executeTask({
    baton: await createBaton({ settings: 'none' }),
    daemonUrl: daemon.url,
    token,
    taskId: task_id,
    spoolFolder: spoolFolder(),
  });

async function said({ session_id }: TaskRecord): Promise<void> {
  for await (const { type } of client.follow(session_id)) if (type === 'message.delta') return;
}

test('an executor that cannot receive commands for a moment receives them later', async () => {
  const task = await newTask({ say: WORDS }, { stall: true });
  const carrying = carryOut(task);
  await said(task);
  const broken = vi
    .spyOn(daemon.store.records.sessions, 'get')
    .mockRejectedValueOnce(new Error('Something unheard of.'));
  await vi.waitFor(() => expect(broken.mock.results.length).toBeGreaterThan(0), 10_000);
  broken.mockRestore();
  await client.sessions.stopTask(task.session_id, { task_id: task.task_id });
  await carrying;
  expect(await client.tasks.get(task.task_id)).toMatchObject({ status: 'CANCELLED' });
});

test('a steering message for a task that was just claimed reaches its agent', async () => {
  const task = await newTask({ say: WORDS }, { stall: true });
  const { executors } = daemon.store.records;
  const put = executors.put.bind(executors);
  vi.spyOn(executors, 'put').mockImplementationOnce(async (row) => {
    await client.sessions.steerTask(task.session_id, { task_id: task.task_id, text: 'Hm.' });
    return put(row);
  });
  const carrying = carryOut(task);
  for await (const event of client.follow(task.session_id)) {
    if (event.type === 'notice' && event.message === 'Noted: Hm.') break;
  }
  await client.sessions.stopTask(task.session_id, { task_id: task.task_id });
  await carrying;
});

test('an executor that loses its task leaves its spool unchanged for the next owner', async () => {
  const task = await newTask({ say: WORDS });
  const carrying = carryOut(task);
  carrying.catch(() => {});
  await said(task);
  vi.spyOn(daemon.taskTokens, 'verify').mockResolvedValue(undefined);
  vi.spyOn(daemon.taskTokens, 'verifyExpired').mockResolvedValue(undefined);
  await expect(carrying).rejects.toMatchObject({ code: 'unauthenticated' });
  const name = spoolName(task.task_id);
  const numbers = spoolEvents(readFileSync(join(spoolFolder(), name), 'utf8')).map(
    ({ seq }) => seq,
  );
  expect(numbers.length).toBeGreaterThan(0);
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
});

test('an executor whose task has ended without it leaves nothing behind', async () => {
  const task = await newTask({ say: WORDS });
  const carrying = carryOut(task);
  carrying.catch(() => {});
  await said(task);
  await endTask(daemon.store, task.session_id, task.task_id, { outcome: 'cancelled' });
  await expect(carrying).rejects.toMatchObject({ code: 'lease_lost' });
  expect(readdirSync(spoolFolder())).toEqual([]);
});

test('an event that is too large for a daemon is truncated, and the task continues', async () => {
  const large = join(folder, 'large-agent.sh');
  const script = `#!/bin/sh
printf '{"type":"notice","level":"info","code":"text","message":"'
head -c 34000000 /dev/zero | tr '\\0' x
printf '"}\\n'
echo '{"type":"message.completed","messageId":"n","text":"After it."}'
echo '{"type":"turn.completed","verdict":{"outcome":"done"}}'
cat > /dev/null
`;
  writeFileSync(large, script, { mode: 0o755 });
  vi.stubEnv('BATON_BINARIES', `demo=${large}`);
  const task = await newTask();
  await carryOut(task);
  const done = await client.tasks.get(task.task_id);
  expect(done).toMatchObject({ status: 'COMPLETED', output: 'After it.' });
  for await (const event of client.follow(task.session_id)) {
    if (event.type !== 'notice' || event.code !== 'text') continue;
    const end = event.message.slice(-100);
    return expect(end).toMatch(/x… \[\d+ characters omitted: too large to report\]$/);
  }
});

test('an executor that cannot start its agent says why', async () => {
  const { session_id } = await client.sessions.create({ cwd: '/no/such/folder', backend: 'demo' });
  const task = await client.sessions.executeTask(session_id, { prompt: 'Hi' });
  await carryOut(task);
  expect(await client.tasks.get(task.task_id)).toMatchObject({
    status: 'FAILED',
    error: { code: 'cwd_missing' },
  });
});
