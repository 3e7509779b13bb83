import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from '@baton/agents/registry/default-baton';
import { BatonClient } from '@baton/client';
import { type Daemon, startDaemon } from '@baton/daemon';
import type { AgentEvent, AgentRun, Launch, LaunchRequest, PendingRequest } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, expectTypeOf, inject, test, vi } from 'vitest';
import { z } from 'zod';
import { ownerOf } from '../packages/cli/src/testing/served.ts';

const MAIN = inject('baton');

let folder: string;
let daemon: Daemon;
let client: BatonClient;
let ownersToken: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-launch-')));
  vi.stubEnv('BATON_DEMO_PACE', '0');
  const command = { file: process.execPath, args: [MAIN, 'executor'] };
  daemon = await startDaemon({ folder: join(folder, 'state'), port: 0, executors: { command } });
  ownersToken = await ownerOf(daemon);
  client = new BatonClient({ url: daemon.url, token: ownersToken });
});
afterAll(async () => {
  client.close();
  await daemon.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const remotely: Launch = (request) => client.launch(request);
const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;
const request = (prompt: string, more: Partial<LaunchRequest> = {}): LaunchRequest => ({
  backend: 'demo',
  cwd: folder,
  prompt,
  ...more,
});

async function eventsOf(run: AgentRun): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** The fields that differ between runs. */
const OWN = new Set(['time', 'runId', 'durationMs', 'nativeSessionId', 'requestedAt', 'ms', 'env']);

function comparable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, each) => (OWN.has(key) ? undefined : each)));
}

const allow = ({ kind }: PendingRequest) =>
  kind === 'permission' ? { decision: 'allow' as const } : { answers: { q1: ['Tea'] } };

describe('a run through a daemon has the same events as one in this program', () => {
  test.each([
    ['that speaks', script({ think: 'Hm.' }, { say: 'Hello.' })],
    ['that uses a tool', script({ shell: 'echo hi' }, { say: 'Done.' })],
    ['that asks', 'demo:question'],
    ['that fails', 'demo:fail'],
    ['that crashes', 'demo:crash'],
    ['that prints garbage', 'demo:garbage'],
  ])('%s', async (_what, prompt) => {
    const here = await launch(request(prompt, { onRequest: allow }));
    const there = await remotely(request(prompt, { onRequest: allow }));
    const [own, remote] = await Promise.all([eventsOf(here), eventsOf(there)]);
    expect(comparable(remote)).toEqual(comparable(own));
    expect(comparable(await there.result)).toEqual(comparable(await here.result));
  });
});

test('an answer is accepted, late, or invalid', async () => {
  const run = await remotely(request(script({ shell: 'true' })));
  const receipts: unknown[] = [];
  for await (const event of run) {
    if (event.type !== 'permission.requested') continue;
    receipts.push(await run.answer(event.requestId, { decision: 'deny' }));
    receipts.push(await run.answer(event.requestId, { decision: 'allow' }));
    receipts.push(await run.answer('nothing', { decision: 'allow' }));
  }
  expect(receipts).toEqual(['accepted', 'late', 'unknown']);
});

test('a run is cancelled, and the result has the stop report', async () => {
  const run = await remotely(request('demo:stall'));
  for await (const event of run) {
    if (event.type === 'message.completed') break;
  }
  expect(await run.cancel('Enough.')).toMatchObject({ state: 'stopped' });
  expect(await run.result).toMatchObject({ outcome: 'cancelled' });
  const stopper = new AbortController();
  const other = await remotely(request('demo:stall', { signal: stopper.signal }));
  stopper.abort();
  expect(await other.result).toMatchObject({ outcome: 'cancelled' });
});

test('closing the client rejects the result of a run whose end was not seen', async () => {
  const own = new BatonClient({ url: daemon.url, token: ownersToken });
  const run = await own.launch(request('demo:stall'));
  const { result } = run;
  own.close();
  expect(await result).toMatchObject({
    outcome: 'failed',
    error: { code: 'daemon_unreachable', retryable: false },
  });
  await expect(run.cancel()).rejects.toMatchObject({ retryable: false });
  await expect(run[Symbol.asyncIterator]().next()).rejects.toMatchObject({ retryable: false });
});

test('a stop is over when its end was seen, also when the client is closed then', async () => {
  const own = new BatonClient({ url: daemon.url, token: ownersToken });
  const run = await own.launch(request('demo:stall'));
  let stopping: Promise<unknown> | undefined;
  for await (const event of run) {
    if (event.type === 'message.completed') stopping = run.cancel('Enough.');
  }
  own.close();
  expect(await stopping).toMatchObject({ state: 'stopped' });
});

test('an agent can be steered while it runs, and not after it has ended', async () => {
  const run = await remotely(request('demo:stall'));
  const seen: AgentEvent[] = [];
  for await (const event of run) {
    seen.push(event);
    if (event.type === 'message.started') await run.steer('Be quick.');
    if (event.type === 'notice' && event.code === 'steered') break;
  }
  expect(seen.at(-1)).toMatchObject({ message: 'Be quick.' });
  await run.cancel();
  await expect(run.steer('Again.')).rejects.toMatchObject({ code: 'conflict' });
});

test('a further prompt continues in the same session', async () => {
  const first = await remotely(request(script({ say: 'One.' })));
  await first.result;
  const { session_id } = await client.tasks.get(first.runId);
  const second = await client.launch({
    ...request(script({ say: 'Two.' })),
    batonSession: session_id,
  });
  expect(await second.result).toMatchObject({ outcome: 'done', output: 'Two.' });
  expect((await client.tasks.get(second.runId)).session_id).toBe(session_id);
});

describe('a second launch with the same task id', () => {
  const once = (file: string) => ({
    ...request(script({ shell: `echo ran >> ${file}` }, { say: 'Done.' })),
    newSession: randomUUID(),
    taskId: randomUUID(),
  });

  test('joins the running task, can answer its requests, and gets the same events', async () => {
    const given = once('joined.txt');
    const first = await client.launch(given);
    const events = eventsOf(first);
    await vi.waitFor(async () =>
      expect((await client.tasks.get(given.taskId)).status).toBe('AWAITING_PERMISSION'),
    );
    const second = await client.launch({ ...given, onRequest: allow });
    expect(second.runId).toBe(given.taskId);
    expect(await eventsOf(second)).toEqual(await events);
    expect(await second.result).toMatchObject({ outcome: 'done', output: 'Done.' });
    expect(await second.result).toEqual(await first.result);
    expect(readFileSync(join(folder, 'joined.txt'), 'utf8')).toBe('ran\n');
  });

  test('gets the events and the result of a task that has ended', async () => {
    const given = once('ended.txt');
    const first = await client.launch({ ...given, onRequest: allow });
    const events = await eventsOf(first);
    const second = await client.launch({ ...given, onRequest: allow });
    expect(await eventsOf(second)).toEqual(events);
    expect(await second.result).toEqual(await first.result);
    const { total } = await client.tasks.find({ session_id: given.newSession });
    expect(total).toBe(1);
    expect(readFileSync(join(folder, 'ended.txt'), 'utf8')).toBe('ran\n');
  });

  test('joins a queued task', async () => {
    const stalling = await client.launch({ ...request('demo:stall'), newSession: randomUUID() });
    const batonSession = stalling.task.session_id;
    const given = { ...request(script({ say: 'Next.' })), batonSession, taskId: randomUUID() };
    const [first, second] = [await client.launch(given), await client.launch(given)];
    expect(second.task).toMatchObject({ status: 'QUEUED', position: first.task.position });
    await stalling.cancel();
    await client.sessions.resumeQueue(batonSession);
    expect(await second.result).toMatchObject({ outcome: 'done', output: 'Next.' });
    expect(await first.result).toEqual(await second.result);
    expect((await client.tasks.find({ session_id: batonSession })).total).toBe(2);
  });

  test('is rejected in another session', async () => {
    const given = { ...request(script({ say: 'Hi.' })), taskId: randomUUID() };
    await (await client.launch(given)).result;
    await expect(client.launch(given)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a session with a chosen id', () => {
  test('has its title, and further launches continue in it', async () => {
    const newSession = randomUUID();
    const given = { ...request(script({ say: 'Hi.' })), newSession, title: 'Chat' };
    await (await client.launch(given)).result;
    const second = await client.launch({ ...given, title: 'Other' });
    expect(await second.result).toMatchObject({ outcome: 'done' });
    expect(second.task.session_id).toBe(newSession);
    expect(await client.sessions.get(newSession)).toMatchObject({ title: 'Chat' });
  });

  test('is not archived when the daemon refuses its prompt', async () => {
    const given = { ...request(script({ say: 'Hi.' })), newSession: randomUUID() };
    const maxTurns = -1;
    await expect(client.launch({ ...given, maxTurns })).rejects.toMatchObject({ code: 'usage' });
    expect(await (await client.launch(given)).result).toMatchObject({ outcome: 'done' });
  });
});

test('leaving the loop of a joined run does not stop the run', async () => {
  const launched = await remotely(request('demo:stall'));
  const joined = await client.join(launched.runId);
  const events = joined[Symbol.asyncIterator]();
  for (let next = await events.next(); next.value?.type !== 'message.completed'; ) {
    next = await events.next();
  }
  const silent = events.next();
  await events.return?.();
  expect((await silent).done).toBe(true);
  expect(await client.tasks.get(launched.runId)).toMatchObject({ status: 'RUNNING' });
  await launched.cancel();
  expect(await joined.result).toMatchObject({ outcome: 'cancelled' });
});

test('an answer is parsed by its schema here, wherever the agent is', async () => {
  const outputSchema = z.object({ n: z.string().transform(Number) });
  const prompt = script({ say: '{"n":"7"}' });
  const run = await client.launch({ ...request(prompt), outputSchema });
  const { structured } = await run.collect();
  expectTypeOf(structured).toEqualTypeOf<{ n: number } | undefined>();
  expect(structured).toEqual({ n: 7 });
});

test('a mistake in the request is an error before anything starts', async () => {
  await expect(remotely(request(''))).rejects.toMatchObject({ code: 'usage' });
  const requests = { timeoutMs: -1 };
  await expect(remotely(request('Hi', { requests }))).rejects.toMatchObject({ code: 'usage' });
  const outputSchema = { type: 'numbr' };
  await expect(remotely(request('Hi', { outputSchema }))).rejects.toMatchObject({ code: 'usage' });
  await expect(remotely(request('Hi', { cwd: 'not/whole' }))).rejects.toMatchObject({
    code: 'usage',
  });
});
