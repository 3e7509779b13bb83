import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BatonClient } from '@baton/client';
import { type PermissionMode, spoolName } from '@baton/protocol';
import { beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { login, type Served, serveIn } from '../packages/cli/src/testing/served.ts';

const MAIN = inject('baton');
/** It carries out nothing itself. */
const SERVED = ['--slots', '0'];
const SHORT_LEASE = ['--lease', '3'];

let folder: string;
let served: Served;
let url: string;
let token: string;
let client: BatonClient;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-by-hand-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await serve();
});

async function serve(...more: string[]): Promise<void> {
  const state = join(folder, `state${more.join('')}`);
  served = await serveIn(state, 0, [...SERVED, ...more]);
  url = served.url;
  token = await login(served);
  const opened = new BatonClient({ url, token });
  client = opened;
  onTestFinished(() => opened.close());
}

function started(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, 'executor', '--daemon-url', url, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder, BATON_DEMO_PACE: '0', ...env },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

async function executor(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stderr: string }> {
  const child = started(args, env);
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code, stderr };
}

async function queued(
  prompt: string,
  permissionMode?: PermissionMode,
): Promise<{ session_id: string; task_id: string }> {
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const task = await client.sessions.executeTask(session_id, {
    prompt,
    permission_mode: permissionMode,
  });
  expect(task.status).toBe('QUEUED');
  return { session_id, task_id: task.task_id };
}

const say = (words: string) => `demo:script [{"say":"${words}"}]`;

test('an executor started manually runs the given task', async () => {
  const first = await queued(say('One.'));
  const { session_id, task_id } = await queued(say('Two.'));
  const args = ['--session-id', session_id, '--task-id', task_id, '--prompt', say('Two.')];
  const more = ['--tool', 'demo', '--permission-mode', 'ask'];
  const { code, stderr } = await executor([...args, ...more], { BATON_TOKEN: token });
  const [task, session] = [task_id.slice(0, 8), session_id.slice(0, 8)];
  expect(stderr).toContain(`Task ${task} of session ${session}: demo in ${folder}\n`);
  expect(stderr).toMatch(new RegExp(`^Task ${task}: done after .+\\.$`, 'm'));
  expect(code).toBe(0);
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'COMPLETED', output: 'Two.' });
  expect(await client.tasks.get(first.task_id)).toMatchObject({ status: 'QUEUED' });
});

/** Takes a queued task, as a program does that starts executors itself, and gives its token. */
async function tokenOf(task_id: string): Promise<string> {
  const facts = { host: hostname(), pid: process.pid, task_id, announces_start: true };
  return (await client.executors.create(facts)).token;
}

test('the session token of a task runs it, with all arguments', async () => {
  const { session_id, task_id } = await queued(say('One.'));
  const jwt = await tokenOf(task_id);
  const ids = ['--session-token', jwt, '--session-id', session_id, '--task-id', task_id];
  const more = ['--prompt', say('One.'), '--tool', 'demo', '--permission-mode', 'ask'];
  const { code, stderr } = await executor([...ids, ...more]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'COMPLETED', output: 'One.' });
});

test('the session token of a task names it, so that --task-id may be omitted', async () => {
  const { session_id, task_id } = await queued(say('One.'));
  const more = ['--session-id', session_id, '--prompt', say('One.'), '--tool', 'demo'];
  const { code, stderr } = await executor(more, { BATON_TOKEN: await tokenOf(task_id) });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'COMPLETED' });
});

test('a session token with wrong arguments runs nothing', async () => {
  const { task_id } = await queued(say('One.'));
  const other = await queued(say('Two.'));
  const env = { BATON_TOKEN: await tokenOf(task_id) };
  const wrongTask = await executor(['--task-id', other.task_id], env);
  expect(wrongTask.stderr).toContain('name different tasks');
  const wrongPrompt = await executor(['--prompt', 'Another'], env);
  expect(wrongPrompt.stderr).toContain('does not match the given session, prompt or agent');
  expect([wrongTask.code, wrongPrompt.code]).toEqual([2, 2]);
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'RUNNING', output: null });
  expect(await client.tasks.get(other.task_id)).toMatchObject({ status: 'QUEUED' });
});

test('a task whose token nobody uses is queued again', async () => {
  await serve(...SHORT_LEASE);
  const { task_id } = await queued(say('One.'));
  await tokenOf(task_id);
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'RUNNING' });
  await vi.waitFor(async () =>
    expect(await client.tasks.get(task_id)).toMatchObject({ status: 'QUEUED' }),
  );
});

test('a task is named by the beginning of its id, like everywhere', async () => {
  await queued(say('One.'));
  const { session_id, task_id } = await queued(say('Two.'));
  const args = ['--task-id', task_id.slice(0, 8), '--session-id', session_id.slice(0, 8)];
  expect((await executor(args, { BATON_TOKEN: token })).code).toBe(0);
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'COMPLETED' });
});

test('a task that cannot be claimed is rejected with the reason', async () => {
  const refused = async (taskId: string) => {
    const { code, stderr } = await executor(['--task-id', taskId], { BATON_TOKEN: token });
    return `${code} ${stderr}`;
  };
  const { session_id, task_id } = await queued(say('One.'));
  const next = await client.sessions.executeTask(session_id, { prompt: say('Two.') });
  expect(await refused('nothing')).toContain('4 error (not_found): No task matches "nothing".');
  expect(await refused(session_id)).toContain(': that is a session.');
  expect(await refused(next.task_id)).toContain('1 error (conflict): Another task in this session');
  await client.sessions.stopTask(session_id, { task_id });
  expect(await refused(task_id)).toContain('is no longer queued: it is CANCELLED.');
  await client.sessions.stopTask(session_id, { task_id: next.task_id });
  expect((await executor([], { BATON_TOKEN: token })).stderr).toContain(
    'baton tasks --status queued',
  );
});

test('without a task id it claims the oldest queued task', async () => {
  const { task_id } = await queued(say('One.'));
  await queued(say('Two.'));
  expect((await executor([], { BATON_TOKEN: token })).code).toBe(0);
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'COMPLETED' });
});

test('a token that others can see is used with a warning', async () => {
  const { task_id } = await queued(say('One.'));
  const { code, stderr } = await executor(['--session-token', token, '--task-id', task_id]);
  expect(code).toBe(0);
  expect(stderr).toContain('Other users of this machine can see the token');
});

test('the token is not in the environment of the agent', async () => {
  const { task_id } = await queued('demo:script [{"shell":"env"}]', 'allow-all');
  await executor(['--task-id', task_id], { BATON_TOKEN: token });
  const { parts } = await client.tasks.rawOutput({ task_id });
  const printed = parts.map(({ text: part }) => part).join('');
  expect(printed).toContain('BATON_RUN_');
  expect(printed).not.toContain(token);
});

test('a task that is not the one that was meant stays in the queue', async () => {
  const { task_id } = await queued(say('One.'));
  const { code, stderr } = await executor(['--task-id', task_id, '--prompt', 'Another'], {
    BATON_TOKEN: token,
  });
  expect(code).toBe(2);
  expect(stderr).toContain('does not match the given session, prompt or agent');
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'QUEUED' });
});

test('a stricter permission mode is applied and logged', async () => {
  const { session_id, task_id } = await queued('demo:script [{"shell":"env"}]', 'allow-all');
  const args = ['--task-id', task_id, '--permission-mode', 'ask'];
  const child = started(args, { BATON_TOKEN: token });
  await vi.waitFor(async () =>
    expect((await client.permissions.find({ session_id })).total).toBe(1),
  );
  child.kill('SIGKILL');
  expect(await client.tasks.get(task_id)).toMatchObject({ permission_mode: 'ask' });
  const { events } = await client.events.find({ session_id });
  expect(events.find(({ type }) => type === 'task.narrowed')).toMatchObject({
    ...{ taskId: task_id, from: 'allow-all', permissionMode: 'ask' },
    by: (await client.users.me()).user_id,
  });
});

test.each(['auto', 'allow-all'])('permission mode %s does not widen "ask"', async (mode) => {
  const { session_id, task_id } = await queued(say('One.'));
  const wider = ['--permission-mode', mode];
  const refused = await executor(['--task-id', task_id, ...wider], { BATON_TOKEN: token });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`may not widen it to "${mode}"`);
  const unnamed = await executor(wider, { BATON_TOKEN: token });
  expect(unnamed.code).toBe(2);
  expect(unnamed.stderr).toContain('--task-id');
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'QUEUED' });
  expect((await client.events.find({ session_id })).events).toHaveLength(2);
});

test.each([
  ['no token', 5, [], {}, 'Missing token'],
  ['a wrong token', 5, [], { BATON_TOKEN: 'wrong' }, 'Not authenticated'],
  ['an unknown mode', 2, ['--permission-mode', 'x'], { BATON_TOKEN: 'x' }, 'permissionMode'],
])('with %s it reports the mistake', async (_what, expected, args, env, words) => {
  const { code, stderr } = await executor(args, env as Record<string, string>);
  expect(code).toBe(expected);
  expect(stderr).toContain(words);
});

test('it is stopped from the daemon like any other, and ends as the task did', async () => {
  const { task_id, session_id } = await queued('demo:stall');
  const running = executor(['--task-id', task_id], { BATON_TOKEN: token });
  await vi.waitFor(async () => expect((await client.tasks.get(task_id)).status).toBe('RUNNING'));
  await client.sessions.stopTask(session_id, { task_id });
  expect((await running).code).toBe(130);
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'CANCELLED' });
  await queued('demo:fail');
  const { code, stderr } = await executor([], { BATON_TOKEN: token });
  expect([code, stderr]).toEqual([1, expect.stringContaining('because it was asked to')]);
});

/** Waits until a process says something on standard error. */
async function says(child: ReturnType<typeof started>, words: string): Promise<void> {
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  await vi.waitFor(() => expect(said).toContain(words));
}

test('without a daemon it reports that, and an interrupt ends it', async () => {
  served.child.kill('SIGKILL');
  const child = started([], { BATON_TOKEN: token });
  const closed = once(child, 'close');
  await says(child, `Cannot reach a daemon at ${url}.`);
  child.kill('SIGINT');
  expect(await closed).toEqual([130, null]);
});

test('when its daemon is gone, the first interrupt stops the agent and the second one ends it', async () => {
  await serve(...SHORT_LEASE);
  const { task_id, session_id } = await queued('demo:stall');
  const child = started(['--task-id', task_id], { BATON_TOKEN: token });
  const closed = once(child, 'close');
  await vi.waitFor(async () => {
    const { data } = await client.messages.find({ session_id, task_id });
    expect(data.some(({ type }) => type === 'text')).toBe(true);
  });
  served.child.kill('SIGKILL');
  const spool = join(folder, '.baton/spool', spoolName(task_id));
  child.kill('SIGINT');
  await says(child, 'Stopping.');
  await vi.waitFor(() => expect(readFileSync(spool, 'utf8')).toContain('run.completed'));
  child.kill('SIGINT');
  expect(await closed).toEqual([130, null]);
  expect(readFileSync(spool, 'utf8')).toContain('run.completed');
  // A daemon of this machine takes what it had still to say.
  const state = join(folder, `state${SHORT_LEASE.join('')}`);
  await serveIn(state, Number(new URL(url).port), [...SERVED, ...SHORT_LEASE]);
  await vi.waitFor(async () => expect((await client.tasks.get(task_id)).status).toBe('CANCELLED'));
  await vi.waitFor(() => expect(readdirSync(join(folder, '.baton/spool'))).toEqual([]));
});

test('an executor does not read its own output back', async () => {
  const words = Array.from({ length: 3000 }, (_, n) => `word${n}`).join(' ');
  const { task_id } = await queued(say(words));
  const env = { BATON_TOKEN: token, BATON_DEMO_PACE: '1' };
  expect(await executor(['--task-id', task_id], env)).toMatchObject({ code: 0 });
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const calls = [
    ...(await metrics.text()).matchAll(
      /^baton_call_duration_seconds_count\{service="(\w+)",method="(\w+)".*\} (\d+)$/gm,
    ),
  ];
  const count = (name: string) =>
    calls.find(([, service, method]) => `${service}.${method}` === name)?.[3] ?? 0;
  expect(Number(count('executors.create'))).toBe(1);
  expect(Number(count('events.find'))).toBeLessThanOrEqual(5);
});
