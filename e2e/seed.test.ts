import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { type Daemon, startDaemon } from '@baton/daemon';
import { messageRecordSchema, taskRecordSchema } from '@baton/protocol';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ownerOf } from '../packages/cli/src/testing/served.ts';

type Heard = [name: string, data: Record<string, unknown>];

let folder: string;
let daemon: Daemon;
let token: string;
let client: BatonClient;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-seed-')));
  // Nothing runs by itself: the test is the executor.
  daemon = await startDaemon({ folder: join(folder, 'state'), port: 0 });
  token = await ownerOf(daemon);
  client = new BatonClient({ url: daemon.url, token });
});
afterEach(async () => {
  client.close();
  await daemon.close();
  rmSync(folder, { recursive: true });
});

/** A connection that hears everything of a session. */
async function listener(
  sessionId: string,
  as = token,
): Promise<{ socket: Socket; heard: Heard[] }> {
  const socket = io(daemon.url, { auth: { token: as }, transports: ['websocket'] });
  onTestFinished(() => {
    socket.close();
  });
  const heard: Heard[] = [];
  socket.onAny((name, data) => heard.push([name, data]));
  await socket.emitWithAck('subscribe', 'messages', { session_id: sessionId });
  return { socket, heard };
}

async function call(socket: Socket, method: string, service: string, ...args: unknown[]) {
  type Answer = [error: unknown, result: Record<string, unknown>];
  const [error, result] = await new Promise<Answer>((resolve) => {
    socket.emit(method, service, ...args, (...answer: Answer) => resolve(answer));
  });
  if (error) throw error;
  return result;
}

test('an executor of the first design streams, asks, gets the answer and ends its task', async () => {
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const page = await listener(session_id);
  const queued = await client.sessions.executeTask(session_id, { prompt: 'Do it.' });
  const start = await client.executors.create({ task_id: queued.task_id, host: 'h', pid: 1 });
  const { task_id } = start.task;
  const executor = await listener(session_id, start.token);

  const place = { session_id, message_id: 'm1' };
  await call(executor.socket, 'streamChunk', 'messages', { ...place, chunk: 'Hel' });
  await call(executor.socket, 'streamChunk', 'messages', { ...place, chunk: 'lo.' });
  const whole = { session_id, task_id, type: 'text', message_id: 'm1', content: 'Hello.' };
  await call(executor.socket, 'create', 'messages', whole);
  const asked = await call(executor.socket, 'create', 'messages', {
    session_id,
    task_id,
    type: 'permission_request',
    content: {
      request_id: 'r1',
      tool_name: 'bash',
      tool_params: { command: 'ls' },
      status: 'pending',
    },
  });
  expect(messageRecordSchema.parse(asked).content).toMatchObject({
    request_id: 'r1',
    tool_name: 'bash',
    tool_params: { command: 'ls' },
    status: 'pending',
  });
  const [created] = await vi.waitFor(() => {
    const found = page.heard.filter(
      ([name, data]) => name === 'messages created' && data.type === 'permission_request',
    );
    expect(found).toHaveLength(1);
    return found;
  });
  expect(created?.[1]).toEqual(asked);

  const answered = await call(page.socket, 'patch', 'messages', asked.message_id, {
    content: { ...(asked.content as object), status: 'approved', approved_by: 'me' },
  });
  expect(answered.content).toMatchObject({ status: 'approved' });
  await vi.waitFor(() =>
    expect(executor.heard).toContainEqual([
      'messages permission_resolved',
      { session_id, task_id, request_id: 'r1', approved: true },
    ]),
  );
  const end = { status: 'COMPLETED', completed_at: new Date().toISOString() };
  await call(executor.socket, 'patch', 'tasks', task_id, end);
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'COMPLETED' });

  await vi.waitFor(() => expect(page.heard.at(-1)?.[0]).toBe('tasks patched'));
  const named = (name: string) =>
    page.heard.filter(([each]) => each === name).map(([, data]) => data);
  expect(named('messages streaming:chunk').map(({ chunk }) => chunk)).toEqual(['Hel', 'lo.']);
  expect(named('tasks created')).toMatchObject([{ task_id, status: 'QUEUED' }]);
  const tasks = named('tasks patched').map((data) => taskRecordSchema.parse(data));
  expect(tasks.at(-1)).toMatchObject({ task_id, status: 'COMPLETED' });
  expect(tasks.map(({ status }) => status)).toContain('AWAITING_PERMISSION');
  const { data } = await client.messages.find({ session_id });
  expect(data.map(({ type, content }) => (type === 'text' ? content : type))).toEqual([
    'prompt',
    'Hello.',
    'permission_request',
    'result',
  ]);
});

test('an executor of the first design receives a stop', async () => {
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const queued = await client.sessions.executeTask(session_id, { prompt: 'Do it.' });
  const start = await client.executors.create({ task_id: queued.task_id, host: 'h', pid: 1 });
  const { task_id } = start.task;
  const executor = await listener(session_id, start.token);
  await client.sessions.stopTask(session_id, { task_id });
  await vi.waitFor(() =>
    expect(executor.heard).toContainEqual([
      'sessions task_stop',
      { session_id, task_id, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]),
  );
  await call(executor.socket, 'patch', 'tasks', task_id, { status: 'CANCELLED' });
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'CANCELLED' });
});

test('an executor speaks for its own task only, and not after its end', async () => {
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const other = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const task = await client.sessions.executeTask(session_id, { prompt: 'Do it.' });
  const start = await client.executors.create({ task_id: task.task_id, host: 'h', pid: 1 });
  const { socket } = await listener(session_id, start.token);
  const chunk = { session_id: other.session_id, message_id: 'm', chunk: 'x' };
  await expect(call(socket, 'streamChunk', 'messages', chunk)).rejects.toMatchObject({ code: 403 });
  const later = await client.sessions.executeTask(session_id, { prompt: 'More.' });
  const end = { status: 'COMPLETED' };
  await expect(call(socket, 'patch', 'tasks', later.task_id, end)).rejects.toMatchObject({
    code: 403,
  });
  await call(socket, 'patch', 'tasks', task.task_id, end);
  await expect(
    call(socket, 'streamChunk', 'messages', { ...chunk, session_id }),
  ).rejects.toMatchObject({ code: 409 });
  await expect(call(socket, 'get', 'sessions', session_id)).rejects.toMatchObject({ code: 404 });
});
