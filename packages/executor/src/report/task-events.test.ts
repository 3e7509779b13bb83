import type { ExecutorStart } from '@baton/client';
import type { AgentEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { TaskEvents } from './task-events.ts';

function events(lastSeq: number, usage: object | null = null): TaskEvents {
  return new TaskEvents({
    last_seq: lastSeq,
    task: { task_id: 't', usage },
  } as unknown as ExecutorStart);
}

function event(fields: object): AgentEvent {
  return { seq: 1, time: 1, runId: 't', ...fields } as AgentEvent;
}

const STARTED = event({ type: 'run.started', backend: 'demo', transport: 'live', cwd: '/' });
const ASKED = event({ type: 'question.requested', requestId: '0', questions: [] });

test('the first run of a task is reported as it is', () => {
  const task = events(0);
  expect(task.next(STARTED)).toEqual(STARTED);
  expect(task.next({ ...ASKED, seq: 2 })).toEqual({ ...ASKED, seq: 2 });
  expect(task.nativeRequestId('0')).toBe('0');
});

test('a run that continues a task continues its numbers, and does not start it again', () => {
  const task = events(7);
  expect(task.next(STARTED)).toBeUndefined();
  expect(task.next(ASKED)).toMatchObject({ seq: 8 });
  expect(task.own({ type: 'notice', level: 'info', code: 'text', message: 'm' })).toMatchObject({
    seq: 9,
    runId: 't',
  });
});

test('a second run in the same executor does not start the task again', () => {
  const task = events(0);
  task.next(STARTED);
  expect(task.next(STARTED)).toBeUndefined();
  expect(task.next(ASKED)).toMatchObject({ seq: 2 });
});

test.each([
  'permission.requested',
  'permission.resolved',
  'question.requested',
  'question.resolved',
])('%s has an id that no earlier run can have used, which leads back to the agent', (type) => {
  const task = events(7);
  const { requestId } = task.next(event({ type, requestId: '0' })) as { requestId: string };
  expect(requestId).not.toBe('0');
  expect(task.nativeRequestId(requestId)).toBe('0');
});

test('the usage of the runs of a task is added up', () => {
  const task = events(7, { inputTokens: 10, costUsd: 1 });
  const usage = { inputTokens: 5, outputTokens: 2, costUsd: 0.5 };
  const sum = { inputTokens: 15, outputTokens: 2, costUsd: 1.5 };
  expect(task.next(event({ type: 'usage.updated', usage }))).toMatchObject({ usage: sum });
  expect(task.next(event({ type: 'run.completed', usage }))).toMatchObject({ usage: sum });
  expect(task.next(event({ type: 'run.completed' }))).toMatchObject({
    usage: { inputTokens: 10, costUsd: 1 },
  });
});
