import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EventDraft } from '../definition/dialect.ts';
import { ActiveRun, type StopCause } from './active-run.ts';
import { RunClock } from './run-clock.ts';

const MINUTE = 60_000;
const RETRY = { type: 'notice', level: 'warning', code: 'retry' } as const;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A clock without settings, and why it stopped its run. */
function clock({ speaksAtOnce = true, idleMs }: { speaksAtOnce?: boolean; idleMs?: number } = {}) {
  const causes: StopCause[] = [];
  const run = new ActiveRun({
    runId: 'run',
    hooks: {},
    permissionMode: 'ask',
    cwd: '/',
    control: {
      answer: () => {},
      steer: () => {},
      stop: async (cause) => {
        causes.push(cause);
        return { state: 'stopped', requestedAt: 0, stoppedAt: 0, steps: [], killed: 0 };
      },
    },
  });
  return {
    run,
    causes,
    clock: new RunClock(run, { label: 'Agent', speaksAtOnce, timeouts: { idleMs } }),
  };
}

test('without settings a run without progress ends after a quarter of an hour', () => {
  const { clock: watched, causes } = clock();
  watched.line();
  vi.advanceTimersByTime(14 * MINUTE);
  expect(causes).toEqual([]);
  vi.advanceTimersByTime(2 * MINUTE);
  expect(causes).toMatchObject([{ outcome: 'timed_out', error: { code: 'stalled' } }]);
});

test('an agent that only retries makes no progress, and its last error is kept', () => {
  const { clock: watched, causes } = clock();
  watched.line();
  for (let n = 0; n < 16; n += 1) {
    watched.event({ ...RETRY, message: 'Reconnecting.' });
    watched.line();
    vi.advanceTimersByTime(MINUTE);
  }
  expect(causes[0]?.error.message).toBe(
    'Agent made no progress for 900 s. It was retrying: Reconnecting.',
  );
});

test('silence is in order while a tool runs', () => {
  const { clock: watched, causes, run } = clock();
  watched.line();
  run.emit({ type: 'tool.started', callId: 'a', name: 'sleep', action: { type: 'other' } });
  vi.advanceTimersByTime(600 * MINUTE);
  expect(causes).toEqual([]);
  watched.stop();
});

test('silence is accepted while background work runs, for a limited time', () => {
  const { clock: watched, causes } = clock();
  const onLimit = vi.fn();
  watched.line();
  watched.background({ onLimit });
  vi.advanceTimersByTime(600 * MINUTE);
  expect(causes).toEqual([]);
  watched.background({ limitMs: MINUTE, onLimit });
  vi.advanceTimersByTime(MINUTE);
  expect(onLimit).toHaveBeenCalledOnce();
  watched.background(undefined);
  vi.advanceTimersByTime(16 * MINUTE);
  expect(causes).toMatchObject([{ error: { code: 'stalled' } }]);
});

test('0 turns the limit off', () => {
  const { clock: watched, causes } = clock({ idleMs: 0 });
  watched.line();
  vi.advanceTimersByTime(600 * MINUTE);
  expect(causes).toEqual([]);
  watched.stop();
});

test('an agent that prints nothing before its answer has all the time for it', () => {
  const { clock: watched, causes } = clock({ speaksAtOnce: false });
  vi.advanceTimersByTime(600 * MINUTE);
  expect(causes).toEqual([]);
  watched.stop();
  const live = clock();
  vi.advanceTimersByTime(2 * MINUTE);
  expect(live.causes).toMatchObject([{ error: { code: 'stalled' } }]);
});

describe('a request in a run that is not consumed', () => {
  const ASKED: EventDraft = {
    type: 'permission.requested',
    requestId: 'r',
    tool: 'shell',
    action: { type: 'other' },
    scopes: ['once'],
  };

  test('ends the run after the time of its consumer', () => {
    const { run, causes } = clock();
    run.emit(ASKED);
    vi.advanceTimersByTime(9 * MINUTE);
    expect(causes).toEqual([]);
    vi.advanceTimersByTime(2 * MINUTE);
    expect(causes).toMatchObject([{ outcome: 'failed', error: { code: 'consumer_stalled' } }]);
  });

  test('waits indefinitely once the run is consumed', () => {
    const { run, causes } = clock();
    run.emit(ASKED);
    run[Symbol.asyncIterator]();
    vi.advanceTimersByTime(60 * MINUTE);
    expect(causes).toEqual([]);
  });

  test('no longer counts when the agent has withdrawn it', () => {
    const { run, causes, clock: watched } = clock({ idleMs: 0 });
    watched.line();
    run.emit(ASKED);
    run.emit({ type: 'permission.resolved', requestId: 'r', decision: 'cancelled', by: 'agent' });
    vi.advanceTimersByTime(60 * MINUTE);
    expect(causes).toEqual([]);
  });
});
