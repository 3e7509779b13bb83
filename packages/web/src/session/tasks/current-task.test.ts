import type { ListedTask, TaskStatus } from '@baton/protocol';
import { expect, test } from 'vitest';
import { isQueuePaused, queuedTasks, tellingTask } from './current-task.ts';

test.each<[told: TaskStatus | undefined, tasks: ListedTask[]]>([
  [undefined, []],
  ['RUNNING', [task(3, 'QUEUED'), task(2, 'RUNNING'), task(1, 'COMPLETED', 5)]],
  ['RUNNING', [task(3, 'CANCELLED', 6), task(2, 'RUNNING')]],
  ['COMPLETED', [task(3, 'CANCELLED', 6), task(2, 'COMPLETED', 7)]],
  ['CANCELLED', [task(3, 'CANCELLED', 8), task(2, 'COMPLETED', 7)]],
  ['FAILED', [task(3, 'FAILED', 7), task(2, 'COMPLETED', 7)]],
])('the task that determines the status of a session has the status %s', (told, tasks) => {
  expect(tellingTask(tasks)?.status).toBe(told);
});

test('while the queue is paused, it contains all queued prompts and the last task determines the status', () => {
  const tasks = [task(3, 'QUEUED'), task(2, 'QUEUED'), task(1, 'CANCELLED', 5)];
  const paused = tasks.map((each) => ({ ...each, queue_paused: true }));
  const shown = (all: ListedTask[]) => [
    ...[isQueuePaused(all), tellingTask(all)?.status],
    ...queuedTasks(all).map(({ position }) => position),
  ];
  expect(shown(tasks)).toEqual([false, 'QUEUED', 3]);
  expect(shown(paused)).toEqual([true, 'CANCELLED', 2, 3]);
});

function task(position: number, status: TaskStatus, end?: number): ListedTask {
  const completed_at = end === undefined ? null : new Date(end).toISOString();
  return { position, status, completed_at } as ListedTask;
}
