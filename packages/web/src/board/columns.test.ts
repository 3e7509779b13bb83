import { TASK_STATUSES } from '@baton/protocol';
import { expect, test } from 'vitest';
import { COLUMNS, dropMeans } from './columns.ts';

test('every state of a task has exactly one column', () => {
  const statuses = COLUMNS.flatMap((column) => column.statuses);
  expect(statuses.toSorted()).toEqual(TASK_STATUSES.toSorted());
});

test('active tasks can be dropped to stop, failed ones to retry, and nothing else', () => {
  const drops = TASK_STATUSES.flatMap((status) =>
    COLUMNS.map(({ id }) => `${status} ${id} ${dropMeans(status, id)}`),
  ).filter((drop) => !drop.endsWith('undefined'));
  expect(drops).toEqual([
    'QUEUED ended stop',
    'RUNNING ended stop',
    'AWAITING_PERMISSION ended stop',
    'FAILED queued retry',
    'CANCELLED queued retry',
  ]);
});
