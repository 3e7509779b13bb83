import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { type Daemon, startDaemon } from '@baton/daemon';
import type { AgentEvent, AgentRun, Launch, LaunchRequest, PendingRequest } from '@baton/protocol';
import { launch } from '@baton/runtime';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { ownerOf } from '../testing/served.ts';

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

/** What is different in every run, whoever starts it. */
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

test('an answer is given, comes late, or fits nothing', async () => {
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

test('a run is cancelled, and what that achieved is told', async () => {
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

test('whoever closes the client is told that the end of a run was not seen', async () => {
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

test('an agent is given more to consider while it works, and not when it has ended', async () => {
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

test('a further prompt goes on in the same session', async () => {
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

test('a mistake in the request is an error before anything starts', async () => {
  await expect(remotely(request(''))).rejects.toMatchObject({ code: 'usage' });
  await expect(remotely(request('Hi', { cwd: 'not/whole' }))).rejects.toMatchObject({
    code: 'usage',
  });
});
