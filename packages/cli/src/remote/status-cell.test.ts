import { expect, test } from 'vitest';
import { statusCell } from './status-cell.ts';

const TASK = { executor_id: null, error: null };

test('a task that awaits input without an agent is called paused', () => {
  expect(statusCell({ ...TASK, status: 'AWAITING_PERMISSION' })).toMatchObject({ text: 'paused' });
  const alive = { ...TASK, status: 'AWAITING_PERMISSION', executor_id: 'e' } as const;
  expect(statusCell(alive)).toMatchObject({ text: 'awaiting permission' });
});

test('an interrupted task is not called failed', () => {
  const error = { code: 'interrupted', message: 'The executor ended.', retryable: true } as const;
  expect(statusCell({ ...TASK, status: 'FAILED', error })).toEqual({
    text: 'interrupted',
    format: 'yellow',
  });
  expect(statusCell({ ...TASK, status: 'FAILED' })).toMatchObject({ text: 'failed' });
});
