import type { TaskRecord, TaskStatus } from '@baton/protocol';
import { expect, test } from 'vitest';
import { tellingTask } from './status.ts';

test.each<[told: TaskStatus | undefined, tasks: TaskRecord[]]>([
  [undefined, []],
  ['RUNNING', [task(3, 'QUEUED'), task(2, 'RUNNING'), task(1, 'COMPLETED', 5)]],
  ['RUNNING', [task(3, 'CANCELLED', 6), task(2, 'RUNNING')]],
  ['COMPLETED', [task(3, 'CANCELLED', 6), task(2, 'COMPLETED', 7)]],
  ['CANCELLED', [task(3, 'CANCELLED', 8), task(2, 'COMPLETED', 7)]],
  ['FAILED', [task(3, 'FAILED', 7), task(2, 'COMPLETED', 7)]],
])('the task that tells how a session is has the state %s', (told, tasks) => {
  expect(tellingTask(tasks)?.status).toBe(told);
});

function task(position: number, status: TaskStatus, end?: number): TaskRecord {
  const completed_at = end === undefined ? null : new Date(end).toISOString();
  return { position, status, completed_at } as TaskRecord;
}
