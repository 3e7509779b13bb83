import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BatonClient, ExecutorStart } from '@baton/client';
import { type AgentEvent, BatonError } from '@baton/protocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Agent } from '../agent/agent.ts';
import { runTask } from './run-task.ts';

const START = {
  executor_id: 'e',
  lease_ms: 60_000,
  last_seq: 0,
  cursor: 1,
  task: { task_id: 't', status: 'RUNNING', usage: null, attachments: [] },
  session: { session_id: 's' },
  isolation: { hidden: [] },
  resume: null,
  raw_max_bytes: 1000,
} as unknown as ExecutorStart;

type Plan = { events?: readonly object[]; error?: BatonError; onRun?: () => void | Promise<void> };
const WIDENED = { type: 'task.widened', taskId: 't', cursor: 2, permissionMode: 'allow-all' };

/** An executor whose agent does this in its first run, and that in its second one. */
function executor(...plans: Plan[]) {
  const spoolFolder = mkdtempSync(join(tmpdir(), 'run-task-'));
  onTestFinished(() => rmSync(spoolFolder, { recursive: true, force: true }));
  const reported: AgentEvent[] = [];
  const starts: ExecutorStart[] = [];
  const commands: object[] = [];
  const followed = Promise.withResolvers<void>();
  const widen = vi.fn();
  const client = {
    connection: { watch: () => () => {} },
    messages: {
      append: async (events: AgentEvent[]) => {
        reported.push(...events);
        return { last_seq: events.at(-1)?.seq ?? 0 };
      },
    },
    executors: {
      giveBack: vi.fn(async () => ({})),
      transcript: async () => ({ hand_over: 'What happened.' }),
      heartbeat: async () => ({}),
    },
    follow: async function* (_id: string, { signal }: { signal: AbortSignal }) {
      for (const event of commands) yield event;
      followed.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const agent = {
    close: async () => {},
    async run(start: ExecutorStart) {
      starts.push(start);
      const { events = [], error, onRun } = plans[starts.length - 1] ?? {};
      if (error) throw error;
      return {
        widen,
        steer: async () => {},
        cancel: async () => {},
        async *[Symbol.asyncIterator]() {
          for (const [index, event] of events.entries()) {
            if (index === events.length - 1) await onRun?.();
            yield { ...event, seq: index + 1, time: 1, runId: 't' };
          }
        },
      };
    },
  };
  return {
    ...{ reported, starts, spoolFolder, client, commands, followed: followed.promise, widen },
    run: (start: Partial<ExecutorStart> = {}, leave?: AbortSignal, keepsMode = false) =>
      runTask(
        { ...START, ...start },
        {
          client: client as unknown as BatonClient,
          agent: agent as unknown as Agent,
          ...{ spoolFolder, leave, keepsMode },
          beginTurn: async ({ cwd }) => ({
            cwd,
            env: {},
            progress() {},
            refresh: async () => {},
            end: async () => {},
          }),
        },
      ),
  };
}

const STARTED = { type: 'run.started', backend: 'demo', transport: 'live', cwd: '/' };
const DONE = { type: 'run.completed', outcome: 'done', output: 'ok', durationMs: 1 };
const failed = (code: string) => ({
  type: 'run.completed',
  outcome: 'failed',
  error: { code, message: `${code}.` },
});
const TOOL = { type: 'tool.started', callId: 'c', name: 'x', action: { type: 'other' } };

const typesOf = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

test.each<[string, Plan]>([
  ['cannot be started', { error: new BatonError('no_resources', 'no_resources.') }],
  ['ends before it did anything', { events: [STARTED, failed('no_resources')] }],
])('a task whose agent %s for lack of resources is given back', async (_name, plan) => {
  const { run, client, reported } = executor(plan);
  expect(await run()).toBeUndefined();
  expect(client.executors.giveBack).toHaveBeenCalledExactlyOnceWith('no_resources.');
  expect(typesOf(reported)).not.toContain('run.completed');
});

test('a task that is run once more after it was given back continues its numbers', async () => {
  const { run, reported } = executor({ events: [STARTED, DONE] });
  expect(await run({ last_seq: 1 })).toMatchObject({ outcome: 'done', seq: 2 });
  expect(typesOf(reported)).toEqual(['run.completed']);
});

test.each<[string, Plan]>([
  ['says so at once', { error: new BatonError('session_not_found', 'Gone.') }],
  ['says so as the end of the run', { events: [STARTED, failed('session_not_found')] }],
])('an agent that has lost its session and %s gets a transcript', async (_name, plan) => {
  const { run, reported, starts } = executor(plan, { events: [STARTED, DONE] });
  expect(await run({ resume: 'native' })).toMatchObject({ outcome: 'done' });
  expect(starts[1]).toMatchObject({ resume: null, hand_over: 'What happened.' });
  expect(typesOf(reported).filter((type) => type !== 'notice')).toEqual([
    'run.started',
    'run.completed',
  ]);
  expect(reported.filter(({ type }) => type === 'notice')).toMatchObject([
    { code: 'session_lost' },
  ]);
  expect(reported.map(({ seq }) => seq)).toEqual(reported.map((_, index) => index + 1));
});

test.each([
  ['has acted before', { resume: 'native' }, [STARTED, TOOL, failed('session_not_found')]],
  ['had none to resume', { resume: null }, [STARTED, failed('session_not_found')]],
])('an agent without a session that %s is not run again', async (_name, start, events) => {
  const { run, starts } = executor({ events });
  expect(await run(start)).toMatchObject({ outcome: 'failed' });
  expect(starts).toHaveLength(1);
});

test('nothing is reported after a signal, and the spool stays for the daemon', async () => {
  const leave = new AbortController();
  const cancelled = { ...DONE, outcome: 'cancelled' };
  const onRun = () => leave.abort();
  const { run, reported } = executor({ events: [STARTED, TOOL, cancelled], onRun });
  await expect(run({}, leave.signal)).rejects.toMatchObject({ code: 'interrupted' });
  expect(typesOf(reported)).not.toContain('run.completed');
});

describe('an agent that ends at the same moment as the executor is told to leave', () => {
  const leaveAtTheEnd = async (...events: object[]) => {
    const leave = new AbortController();
    // The signal comes after the executor has received the last event.
    const onRun = () => void setImmediate(() => leave.abort());
    const { run, reported, spoolFolder } = executor({ events, onRun });
    await expect(run({}, leave.signal)).rejects.toMatchObject({ code: 'interrupted' });
    expect(readdirSync(spoolFolder)).toContain('t.spool');
    return typesOf(reported);
  };

  test.each([
    ['was killed', failed('agent_crashed')],
    ['was asked to stop', failed('interrupted')],
    ['lost its connection', failed('network_unreachable')],
    ['broke off its output', failed('output_truncated')],
    ['calls itself cancelled', { ...DONE, outcome: 'cancelled' }],
  ])('and %s does not end the task', async (_, end) => {
    expect(await leaveAtTheEnd(STARTED, end)).toEqual(['run.started']);
  });

  test('leaves its request open', async () => {
    const about = { tool: 'x', action: { type: 'command', command: 'ls' }, scopes: ['once'] };
    const asked = { type: 'permission.requested', requestId: 'p', ...about };
    const resolved = { type: 'permission.resolved', requestId: 'p', decision: 'cancelled' };
    const ended = { ...resolved, by: 'agent', synthetic: true };
    expect(await leaveAtTheEnd(STARTED, asked, ended)).toEqual([
      'run.started',
      'permission.requested',
    ]);
  });
});

test('a wider mode reaches the run, also the one that replaces it', async () => {
  const first: Plan = {
    events: [STARTED, failed('session_not_found')],
    onRun: () => place.followed,
  };
  const place = executor(first, { events: [STARTED, DONE] });
  place.commands.push(WIDENED);
  expect(await place.run({ resume: 'native' })).toMatchObject({ outcome: 'done' });
  expect(place.widen.mock.calls).toEqual([['allow-all'], ['allow-all']]);
});

test('an executor that was started with a stricter mode keeps it', async () => {
  const place = executor({ events: [STARTED, DONE], onRun: () => place.followed });
  place.commands.push(WIDENED);
  expect(await place.run({}, undefined, true)).toMatchObject({ outcome: 'done' });
  expect(place.widen).not.toHaveBeenCalled();
});
