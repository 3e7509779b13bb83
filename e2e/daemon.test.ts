import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { type Daemon, startDaemon } from '@baton/daemon';
import type { LogEvent, TaskRecord } from '@baton/protocol';
import { io } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { ownerOf } from '../packages/cli/src/testing/served.ts';

const MAIN = inject('baton');

let folder: string;
let daemon: Daemon;
let client: BatonClient;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-daemon-')));
  vi.stubEnv('BATON_DEMO_PACE', '0');
  daemon = await start();
  client = new BatonClient({ url: daemon.url, token: await ownerOf(daemon) });
});
afterEach(async () => {
  // In this order: a daemon ends although somebody is still connected.
  await daemon.close();
  client.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function start(): Promise<Daemon> {
  const command = { file: process.execPath, args: [MAIN, 'executor'] };
  return startDaemon({ folder: join(folder, 'state'), port: 0, executors: { command, slots: 2 } });
}

const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;

async function session(): Promise<string> {
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  return session_id;
}

/** Follows a session until a task has ended, and gives all events. */
async function untilEnd(sessionId: string, taskId: string): Promise<LogEvent[]> {
  const seen: LogEvent[] = [];
  for await (const event of client.follow(sessionId)) {
    seen.push(event);
    if (event.type === 'run.completed' && event.taskId === taskId) break;
  }
  return seen;
}

async function ended(taskId: string): Promise<TaskRecord> {
  await vi.waitFor(
    async () => expect((await client.tasks.get(taskId)).completed_at).not.toBeNull(),
    20_000,
  );
  return client.tasks.get(taskId);
}

describe('a task', () => {
  test('runs in its own executor, and its follower gets everything once and in order', async () => {
    const id = await session();
    const task = await client.sessions.executeTask(id, { prompt: script({ say: 'Hello.' }) });
    expect(task.status).toBe('RUNNING');
    const events = await untilEnd(id, task.task_id);
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['task.started', 'run.started', 'message.delta', 'run.completed']),
    );
    expect(await ended(task.task_id)).toMatchObject({ status: 'COMPLETED', output: 'Hello.' });
    // Known by more than its number, which may be another's one day.
    const [executor] = await daemon.store.records.executors.find();
    expect(executor?.start_ticks).toBeGreaterThan(0);
  });

  test('that says much is followed from its start, each event once and in order', async () => {
    const id = await session();
    const task = await client.sessions.executeTask(id, { prompt: 'demo:flood=5000' });
    await ended(task.task_id);
    const events = await untilEnd(id, task.task_id);
    expect(events.length).toBeGreaterThan(5000);
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
  });

  test('waits for an answer of a user', async () => {
    const id = await session();
    const prompt = script({ shell: 'echo done > made.txt' });
    const { task_id } = await client.sessions.executeTask(id, { prompt });
    const request = await vi.waitFor(async () => {
      const { data } = await client.permissions.find();
      expect(data).toHaveLength(1);
      return data[0];
    }, 20_000);
    expect(await client.tasks.get(task_id)).toMatchObject({ status: 'AWAITING_PERMISSION' });
    const answer = {
      session_id: id,
      task_id,
      request_id: request?.request_id ?? '',
      answer: { decision: 'allow' as const },
    };
    expect(await client.permissions.answer(answer)).toEqual({ receipt: 'accepted' });
    expect(await ended(task_id)).toMatchObject({ status: 'COMPLETED' });
    expect(await client.permissions.answer(answer)).toEqual({ receipt: 'late' });
  });

  test('does not ask again for what is always allowed', async () => {
    const prompt = script({ shell: 'echo again' });
    const first = await session();
    const { task_id } = await client.sessions.executeTask(first, { prompt });
    const asked = await vi.waitFor(async () => {
      const [request] = (await client.permissions.find()).data;
      expect(request).toBeDefined();
      return request;
    }, 20_000);
    await client.permissions.answer({
      session_id: first,
      task_id,
      request_id: asked?.request_id ?? '',
      answer: { decision: 'allow', scope: 'always' },
    });
    expect(await ended(task_id)).toMatchObject({ status: 'COMPLETED' });
    const second = await session();
    const again = await client.sessions.executeTask(second, { prompt });
    expect(await ended(again.task_id)).toMatchObject({ status: 'COMPLETED' });
    const { data } = await client.messages.find({ session_id: second });
    const request = data.find(({ type }) => type === 'permission_request');
    expect(request?.content).toMatchObject({ status: 'approved', approved_by: 'policy' });
  });

  test('leaves behind what its agent really printed', async () => {
    const id = await session();
    const { task_id } = await client.sessions.executeTask(id, { prompt: 'demo:garbage' });
    await ended(task_id);
    const { parts, more } = await client.tasks.rawOutput({ task_id });
    expect(parts.map(({ text }) => text).join('')).toMatch(/^1 this is not JSON \{$/m);
    expect(more).toBe(false);
  });

  test('is stopped before its executor has started', async () => {
    const id = await session();
    const { task_id } = await client.sessions.executeTask(id, { prompt: 'demo:stall' });
    await client.sessions.stopTask(id, { task_id });
    expect(await ended(task_id)).toMatchObject({ status: 'CANCELLED' });
  });

  test('is stopped while it is queued', async () => {
    const id = await session();
    const running = await client.sessions.executeTask(id, { prompt: 'demo:stall' });
    const waiting = await client.sessions.executeTask(id, { prompt: script({ say: 'Never.' }) });
    expect(waiting.status).toBe('QUEUED');
    const { receipt, task } = await client.sessions.stopTask(id, { task_id: waiting.task_id });
    expect([receipt, task.status]).toEqual(['cancelled', 'CANCELLED']);
    await client.sessions.stopTask(id, { task_id: running.task_id });
    expect(await ended(running.task_id)).toMatchObject({ status: 'CANCELLED' });
    const { data } = await client.messages.find({ session_id: id, task_id: waiting.task_id });
    expect(data.map(({ type }) => type)).toEqual(['prompt', 'stop', 'result']);
  });

  test('is stopped while a request is pending, and a later answer is late', async () => {
    const id = await session();
    const { task_id } = await client.sessions.executeTask(id, {
      prompt: script({ shell: 'touch made.txt' }),
    });
    const asked = await vi.waitFor(async () => {
      const [request] = (await client.permissions.find()).data;
      expect(request).toBeDefined();
      return request;
    }, 20_000);
    expect((await client.sessions.stopTask(id, { task_id })).receipt).toBe('stopping');
    expect(await ended(task_id)).toMatchObject({ status: 'CANCELLED', pending_requests: 0 });
    const request_id = asked?.request_id ?? '';
    const answer = { decision: 'allow' as const };
    const late = await client.permissions.answer({ session_id: id, task_id, request_id, answer });
    expect(late).toEqual({ receipt: 'late' });
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
  });

  test('is stopped while it finishes, and has one end that does not change', async () => {
    for (let n = 0; n < 5; n++) {
      const id = await session();
      const { task_id: taskId } = await client.sessions.executeTask(id, {
        prompt: script({ say: 'Done.' }),
      });
      for await (const event of client.follow(id)) {
        if (event.type === 'message.completed') break;
      }
      const { receipt } = await client.sessions.stopTask(id, { task_id: taskId });
      const { status } = await ended(taskId);
      expect(['COMPLETED', 'CANCELLED']).toContain(status);
      if (receipt === 'ended') expect(status).toBe('COMPLETED');
      expect((await client.sessions.stopTask(id, { task_id: taskId })).receipt).toBe('ended');
      const events = await untilEnd(id, taskId);
      expect(events.filter(({ type }) => type === 'run.completed')).toHaveLength(1);
      expect((await client.tasks.get(taskId)).status).toBe(status);
    }
  });

  test('is stopped with its process tree', async () => {
    const id = await session();
    const { task_id } = await client.sessions.executeTask(id, {
      prompt: 'demo:stall',
      permission_mode: 'allow-all',
    });
    await vi.waitFor(async () => {
      const { data } = await client.messages.find({ session_id: id });
      expect(data.some(({ type }) => type === 'text' || type === 'tool')).toBe(true);
    }, 20_000);
    const { receipt } = await client.sessions.stopTask(id, { task_id });
    expect(receipt).toBe('stopping');
    expect(await ended(task_id)).toMatchObject({ status: 'CANCELLED' });
  });
});

test('retries a prompt in a fork, which has the earlier context', async () => {
  const id = await session();
  await ended((await client.sessions.executeTask(id, { prompt: script({ say: 'One.' }) })).task_id);
  const second = await client.sessions.executeTask(id, { prompt: script({ say: 'Two.' }) });
  await ended(second.task_id);
  const again = await client.sessions.retryTask(id, {
    task_id: second.task_id,
    prompt: script({ say: 'Another.' }),
  });
  expect(again.session_id).not.toBe(id);
  expect(await ended(again.task_id)).toMatchObject({ status: 'COMPLETED', output: 'Another.' });
  const fork = await client.sessions.fork(id);
  expect(fork.forked_from).toMatchObject({ session_id: id });
  const third = await client.sessions.executeTask(fork.session_id, {
    prompt: script({ say: 'Three.' }),
  });
  expect(await ended(third.task_id)).toMatchObject({ status: 'COMPLETED', output: 'Three.' });
  const [original, copy] = [
    await client.sessions.get(id),
    await client.sessions.get(fork.session_id),
  ];
  expect(copy.native_session_id).not.toBe(original.native_session_id);
});

test('only a subscribed connection gets the service events of a session', async () => {
  const id = await session();
  const heard: [string, Record<string, unknown>][] = [];
  const deaf: string[] = [];
  const socket = io(daemon.url, {
    auth: { token: await scriptToken() },
    transports: ['websocket'],
  });
  const other = io(daemon.url, { auth: { token: await scriptToken() }, transports: ['websocket'] });
  socket.onAny((name, data) => heard.push([name, data]));
  other.onAny((name) => deaf.push(name));
  await new Promise((resolve) => {
    socket.emit('subscribe', 'messages', { session_id: id }, resolve);
  });
  const { task_id } = await client.sessions.executeTask(id, { prompt: script({ say: 'Hi.' }) });
  await ended(task_id);
  await vi.waitFor(() => expect(heard.at(-1)?.[1]).toMatchObject({ status: 'COMPLETED' }));
  const names = heard.map(([name]) => name).filter((name) => name.includes(':'));
  expect(names[0]).toBe('messages streaming:start');
  expect(names.at(-1)).toBe('messages streaming:end');
  const chunks = heard.filter(([name]) => name === 'messages streaming:chunk');
  expect(chunks.map(([, { chunk }]) => chunk).join('')).toBe('Hi.');
  const { data } = await client.messages.find({ session_id: id });
  const said = data.find(({ type }) => type === 'text');
  expect(chunks[0]?.[1]).toMatchObject({ session_id: id, task_id, message_id: said?.message_id });
  expect(deaf.filter((name) => !name.startsWith('sessions '))).toEqual([]);
  socket.close();
  other.close();
});

async function scriptToken(): Promise<string> {
  const { secret } = await client.connection.call<{ secret: string }>('tokens', 'create', [
    { name: 'script' },
  ]);
  return secret;
}

describe('a wider permission mode', () => {
  test('applies to the running task by the rules of the mode, and is recorded', async () => {
    const sessionId = await session();
    const { task_id } = await client.sessions.executeTask(sessionId, {
      prompt: script(
        { write: { path: 'a.txt', content: 'a' } },
        { write: { path: '.git/config', content: 'b' } },
        { shell: 'touch ran.txt' },
      ),
    });
    const asked = (path: string) =>
      vi.waitFor(async () => {
        const { data } = await client.permissions.find({
          session_id: sessionId,
          status: 'pending',
        });
        expect(JSON.stringify(data)).toContain(path);
      }, 20_000);
    const widen = (permission_mode: 'auto' | 'allow-all') =>
      client.sessions.widenTask(sessionId, { task_id, permission_mode });
    await asked('a.txt');
    expect(await widen('auto')).toMatchObject({ permission_mode: 'auto' });
    // The protected path still asks, although the edit before it was allowed.
    await asked('.git/config');
    expect([existsSync(join(folder, 'a.txt')), existsSync(join(folder, '.git'))]).toEqual([
      true,
      false,
    ]);
    await widen('allow-all');
    expect(await ended(task_id)).toMatchObject({ outcome: 'done', permission_mode: 'allow-all' });
    expect(existsSync(join(folder, 'ran.txt'))).toBe(true);
    const events = await untilEnd(sessionId, task_id);
    const told = events.flatMap((event) => {
      if (event.type === 'permission.resolved') return [[event.decision, event.by]];
      if (event.type === 'task.widened') return [[event.from, event.permissionMode]];
      return [];
    });
    expect(told).toEqual([
      ['ask', 'auto'],
      ['allow', 'policy'],
      ['auto', 'allow-all'],
      ['allow', 'policy'],
      ['allow', 'policy'],
    ]);
    const users = events.flatMap((event) => (event.type === 'task.widened' ? [event.by] : []));
    const [task] = (await client.tasks.find({ session_id: sessionId })).data;
    expect(users).toEqual([task?.created_by, task?.created_by]);
  });
});
