import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { type Daemon, startDaemon } from '@baton/daemon';
import type { PermissionMode, TaskRecord } from '@baton/protocol';
import { afterEach, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { isRunning } from '../packages/cli/src/testing/baton.ts';
import { ownerOf } from '../packages/cli/src/testing/served.ts';

const MAIN = inject('baton');
/** Script that prints the pid of the agent's own process, the parent of its shell. */
const WHO = 'demo:script [{"shell":"echo agent $PPID."}]';

let folder: string;
let daemon: Daemon;
let client: BatonClient;
let token: string | undefined;

async function serve(slots: number): Promise<void> {
  const command = { file: process.execPath, args: [MAIN, 'executor'] };
  const executors = { command, slots };
  daemon = await startDaemon({ folder: join(folder, 'state'), port: 0, executors });
  // Only the first start makes an owner.
  if (daemon.firstLink !== undefined) token = await ownerOf(daemon);
  client = new BatonClient({ url: daemon.url, token });
}

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-open-')));
  vi.stubEnv('BATON_DEMO_PACE', '0');
  await serve(1);
  await client.connection.call('settings', 'patch', ['executors.keep_open_ms', { value: 600_000 }]);
});
afterEach(async () => {
  client.close();
  await daemon.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

async function session(): Promise<string> {
  return (await client.sessions.create({ cwd: folder, backend: 'demo' })).session_id;
}

/** Runs a prompt to its end, and returns the process of its agent and of its executor. */
async function run(
  sessionId: string,
  permissionMode: PermissionMode = 'allow-all',
  attachments: string[] = [],
): Promise<{ agent: string; executor: string | null; native: string | null }> {
  const prompt = { prompt: WHO, permission_mode: permissionMode, attachments };
  const { task_id } = await client.sessions.executeTask(sessionId, prompt);
  await vi.waitFor(async () => {
    const [request] = (await client.permissions.find()).data;
    if (request) {
      const { session_id, request_id } = request;
      const answer = { decision: 'allow' as const };
      await client.permissions.answer({ session_id, task_id, request_id, answer });
    }
    expect((await client.tasks.get(task_id)).status).toBe('COMPLETED');
  }, 20_000);
  const { parts } = await client.tasks.rawOutput({ task_id });
  const [, agent = ''] = /agent (\d+)/.exec(parts.map(({ text }) => text).join('')) ?? [];
  const task = await client.tasks.get(task_id);
  return { agent, executor: task.executor_id, native: task.native_session_id };
}

test('the agent of a session stays warm, and the next prompt reaches the same process', async () => {
  const id = await session();
  const first = await run(id);
  const second = await run(id);
  const third = await run(id);
  expect(first.agent).not.toBe('');
  expect([second, third]).toEqual([first, first]);
});

test('prompts back to back reach the same agent, also while there are free slots', async () => {
  client.close();
  await daemon.close();
  await serve(4);
  const id = await session();
  const prompt = { prompt: WHO, permission_mode: 'allow-all' as const };
  const queued: TaskRecord[] = [];
  for (let n = 0; n < 6; n++) queued.push(await client.sessions.executeTask(id, prompt));
  const ended = await vi.waitFor(async () => {
    const tasks = await Promise.all(queued.map(({ task_id }) => client.tasks.get(task_id)));
    expect(tasks.map(({ status }) => status)).toEqual(queued.map(() => 'COMPLETED'));
    return tasks;
  }, 20_000);
  expect(new Set(ended.map(({ executor_id }) => executor_id)).size).toBe(1);
  expect(await client.executors.find()).toHaveLength(1);
});

test('a warm agent continues although the spool folder was removed', async () => {
  const id = await session();
  const first = await run(id);
  rmSync(join(folder, 'state/spool'), { recursive: true });
  expect(await run(id)).toEqual(first);
});

test('a prompt that needs another agent gets one, in the same conversation', async () => {
  const id = await session();
  const first = await run(id);
  const second = await run(id, 'ask');
  expect(second.agent).not.toBe(first.agent);
  expect(second.native).toBe(first.native);
  await vi.waitFor(() => expect(isRunning(first.agent)).toBe(false), 20_000);
});

test.each([
  ['the isolation', 'settings', 'patch', ['executors.isolation_network', { value: false }]],
  ['an MCP server', 'mcp-servers', 'create', [{ name: 'x', config: { command: 'true' } }]],
])('a ready agent is of no use when %s has changed', async (_what, service, method, args) => {
  const id = await session();
  const first = await run(id);
  await client.connection.call(service, method, args);
  const second = await run(id);
  expect(second.executor).not.toBe(first.executor);
  expect(second.native).toBe(first.native);
  await vi.waitFor(() => expect(isRunning(first.agent)).toBe(false), 20_000);
  expect(await run(id)).toEqual(second);
});

test('a prompt with attachments gets a new agent, which can read them', async () => {
  const id = await session();
  const first = await run(id);
  const { attachment_id } = await client.attachments.create({
    session_id: id,
    name: 'a.txt',
    media_type: 'text/plain',
    data: 'YQ==',
  });
  expect((await run(id, 'allow-all', [attachment_id])).executor).not.toBe(first.executor);
});

test('an executor that missed its next task gets it when it asks again', async () => {
  const id = await session();
  await run(id);
  const { data } = await client.tasks.find({ session_id: id });
  const [{ task_id: taskId, executor_id: executorId } = { task_id: '', executor_id: '' }] = data;
  const claims = { sessionId: id, taskId, executorId: executorId ?? '', fence: 1 };
  const token = await daemon.taskTokens.sign(claims);
  const executor = new BatonClient({ url: daemon.url, token });
  onTestFinished(() => executor.close());
  const asked = executor.executors.next({ wait_ms: 20_000 });
  await client.sessions.executeTask(id, { prompt: WHO, permission_mode: 'allow-all' });
  expect(await asked).toMatchObject({ is_task: true });
  expect(await executor.executors.next({ wait_ms: 0 })).toMatchObject({ is_task: true });
});

test('a warm agent is closed when another session needs its slot', async () => {
  const first = await run(await session());
  const other = await run(await session());
  expect(other.executor).not.toBe(first.executor);
  await vi.waitFor(() => expect(isRunning(first.agent)).toBe(false), 20_000);
});

test('a task in a warm agent is stopped, and the agent continues with the next one', async () => {
  const id = await session();
  await run(id);
  const { task_id } = await client.sessions.executeTask(id, {
    prompt: 'demo:stall',
    permission_mode: 'allow-all',
  });
  await vi.waitFor(async () => {
    const { data } = await client.messages.find({ session_id: id, task_id });
    expect(data.some(({ type }) => type === 'text')).toBe(true);
  }, 20_000);
  await client.sessions.stopTask(id, { task_id });
  await vi.waitFor(
    async () => expect((await client.tasks.get(task_id)).status).toBe('CANCELLED'),
    20_000,
  );
  expect((await run(id)).agent).not.toBe('');
});

test('a ready agent ends with its daemon', async () => {
  const { agent } = await run(await session());
  expect(isRunning(agent)).toBe(true);
  await daemon.close();
  expect(isRunning(agent)).toBe(false);
  // Closed once more when the test is over.
  const command = { file: process.execPath, args: [MAIN, 'executor'] };
  daemon = await startDaemon({ folder: join(folder, 'state'), port: 0, executors: { command } });
});

test('a warm agent whose task was widened is restarted for a prompt in the wider mode', async () => {
  const sessionId = await session();
  const asked = { prompt: WHO, permission_mode: 'ask' as const };
  const { task_id } = await client.sessions.executeTask(sessionId, asked);
  await vi.waitFor(async () => expect((await client.permissions.find()).total).toBe(1), 20_000);
  const widening = { task_id, permission_mode: 'allow-all' as const };
  await client.sessions.widenTask(sessionId, widening);
  await vi.waitFor(
    async () => expect((await client.tasks.get(task_id)).status).toBe('COMPLETED'),
    20_000,
  );
  await run(sessionId, 'allow-all');
  // Only the first agent has asked.
  const { total } = await client.permissions.find({ status: 'resolved' });
  expect(total).toBe(1);
});
