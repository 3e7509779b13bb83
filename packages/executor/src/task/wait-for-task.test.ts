import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { waitForTask } from './wait-for-task.ts';

/** A daemon that answers so, one time after another. */
function daemon(...answers: (BatonError | { token: string | null; is_task: boolean })[]) {
  const next = vi.fn(async () => {
    const answer = answers.shift();
    if (!answer || BatonError.is(answer)) throw answer ?? new Error('unreachable');
    return answer;
  });
  const client = { executors: { next }, connection: { showToken: () => {} } };
  return { next, client: client as unknown as BatonClient };
}

test('a broken connection does not end a waiting executor: a task may be on its way', async () => {
  const { client } = daemon(
    new BatonError('daemon_unreachable', 'The connection broke.'),
    { token: 'again', is_task: false },
    { token: 'of the task', is_task: true },
  );
  expect(await waitForTask(client, 600_000, undefined)).toBe('of the task');
});

test('an answer that got lost is asked for also when the time to wait is over', async () => {
  const lost = new BatonError('daemon_unreachable', 'The connection broke.');
  const { client, next } = daemon(lost, lost, { token: 'of the task', is_task: true });
  expect(await waitForTask(client, 20, undefined)).toBe('of the task');
  expect(next).toHaveBeenLastCalledWith({ wait_ms: 0 });
});

test('a daemon that never answers again is not waited for without end', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const next = async () => {
    throw new BatonError('daemon_unreachable', 'Nobody is there.');
  };
  const client = { executors: { next } } as unknown as BatonClient;
  const waiting = waitForTask(client, 3000, undefined);
  await vi.advanceTimersByTimeAsync(180_000);
  expect(await waiting).toBe(undefined);
});

test('an executor exits when there is no task, and when it is no longer known', async () => {
  expect(
    await waitForTask(daemon({ token: null, is_task: false }).client, 600_000, undefined),
  ).toBe(undefined);
  const { client, next } = daemon(new BatonError('unauthenticated', 'Who are you?'));
  expect(await waitForTask(client, 600_000, undefined)).toBe(undefined);
  expect(next).toHaveBeenCalledOnce();
});

test('an executor asks for whole milliseconds, as the daemon requires', async () => {
  const { client, next } = daemon({ token: null, is_task: false });
  await waitForTask(client, 1000, undefined);
  const calls = next.mock.calls as unknown as [{ wait_ms: number }][];
  expect(calls.map(([{ wait_ms }]) => Number.isInteger(wait_ms))).toEqual([true]);
});
