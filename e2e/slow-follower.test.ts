import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BatonClient } from '@baton/client';
import { type AgentEvent, retryErrors } from '@baton/protocol';
import { io, type Socket } from 'socket.io-client';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { login } from '../packages/cli/src/testing/served.ts';

const PROGRAM = join(import.meta.dirname, '../packages/cli/src/testing/bare-daemon.ts');
const PIECE = 'x'.repeat(1000);
const BATCH = 500;
const BATCHES = 50;
const RETRY = { attempts: 20, baseMs: 100, maxMs: 2000 };

let child: ChildProcess;
let url: string;
let token: string;
let client: BatonClient;

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-slow-'));
  // With little room a process collects its garbage soon, and what it holds is seen from outside.
  const args = ['--max-old-space-size=200', PROGRAM, folder];
  child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  onTestFinished(async () => {
    client?.close();
    child.kill('SIGKILL');
    await gone;
    rmSync(folder, { recursive: true });
  });
  if (!child.stdout) throw new Error('unreachable');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  url = /http\S+/.exec(await next())?.[0] ?? '';
  const secret = (await next()).split('#link=')[1];
  token = await login({ url, secret });
  client = new BatonClient({ url, token });
});

const memory = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);

/** The processor time that the daemon has used. Unlike the clock, it does not depend on what else this machine does. */
function processorTime(): number {
  const [, facts = ''] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ');
  const [user, system] = facts.split(' ').slice(11, 13).map(Number);
  return (user ?? 0) + (system ?? 0);
}

/** Lets an executor of our own talk for 25 MB, while somebody follows; gives how much work that was for the daemon. */
async function talk(sessionId: string): Promise<number> {
  const { task_id } = await client.sessions.executeTask(sessionId, { prompt: 'Talk' });
  const start = await client.executors.create({ task_id, host: 'here', pid: 1 });
  const executor = new BatonClient({ url, token: start.token });
  const before = processorTime();
  const following = until(sessionId, task_id);
  for (let n = 0; n < BATCHES; n += 1) {
    // As executors do: on a busy machine even a ping may be late.
    await retryErrors(() => executor.messages.append(batch(task_id, n)), RETRY);
  }
  await following;
  executor.close();
  return processorTime() - before;
}

/** One message in pieces; the last batch ends the run too. */
function batch(runId: string, n: number): AgentEvent[] {
  const message = { messageId: `m${n}`, kind: 'text' as const };
  const isLast = n === BATCHES - 1;
  return Array.from({ length: BATCH }, (_, index): AgentEvent => {
    const envelope = { seq: n * BATCH + index + 1, time: 1, runId };
    if (index === 0) return { ...envelope, type: 'message.started', ...message };
    if (index < BATCH - 1) return { ...envelope, type: 'message.delta', ...message, text: PIECE };
    if (!isLast) return { ...envelope, type: 'message.completed', ...message, text: 'cut' };
    return { ...envelope, type: 'run.completed', outcome: 'done', output: '', durationMs: 1 };
  });
}

/** Follows a session as fast as it can, until a task has ended. */
async function until(sessionId: string, taskId: string): Promise<void> {
  const { head_cursor: after } = await client.sessions.get(sessionId);
  for await (const event of client.follow(sessionId, { after })) {
    if (event.type === 'run.completed' && event.taskId === taskId) return;
  }
}

async function connected(): Promise<Socket> {
  const socket = io(url, { auth: { token }, transports: ['websocket'], reconnection: false });
  onTestFinished(() => void socket.close());
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket;
}

/** Lets a connection go on to exist without reading anything more. */
function stopReading(socket: Socket): void {
  type Inside = { transport: { ws: { _socket: { pause(): void } } } };
  (socket.io.engine as unknown as Inside).transport.ws._socket.pause();
}

/** Lets a connection read on, if it is still there to do so. */
function startReading(socket: Socket): void {
  type Inside = { transport: { ws: { _socket: { resume(): void } | null } | null } };
  (socket.io.engine as unknown as Inside).transport.ws?._socket?.resume();
}

test('followers that stop reading use little memory, do not slow others down, and are disconnected', async () => {
  const { session_id: id } = await client.sessions.create({ cwd: '/', backend: 'demo' });
  await talk(id);
  const work = await talk(id);
  const before = memory();
  const hearers = await Promise.all([connected(), connected(), connected()]);
  for (const hearer of hearers) {
    await new Promise((resolve) =>
      hearer.emit('subscribe', 'messages', { session_id: id }, resolve),
    );
    stopReading(hearer);
  }
  const askers = await Promise.all([connected(), connected(), connected()]);
  for (const asker of askers) {
    stopReading(asker);
    const query = { session_id: id, after: 0, limit: 5000 };
    for (let n = 0; n < 20; n += 1) asker.emit('find', 'events', query, () => {});
  }
  const more = await talk(id);
  const after = memory();
  expect(after / before).toBeLessThan(1.5);
  expect(more / work).toBeLessThan(4);
  for (const slow of [...hearers, ...askers]) {
    startReading(slow);
    await vi.waitFor(() => expect(slow.connected).toBe(false), 10_000);
  }
  expect([child.exitCode, child.signalCode], 'the daemon itself goes on').toEqual([null, null]);
}, 120_000);
