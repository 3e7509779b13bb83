import { expect, test } from 'vitest';
import { TASK_STATUSES, taskState } from './task-status.ts';

const INTERRUPTED = { code: 'interrupted' };

test('only a task that awaits input without an executor is paused', () => {
  for (const status of TASK_STATUSES) {
    const isPaused = status === 'AWAITING_PERMISSION';
    const task = { status, error: null };
    expect(taskState({ ...task, executor_id: null })).toBe(isPaused ? 'PAUSED' : status);
    expect(taskState({ ...task, executor_id: 'e' })).toBe(status);
  }
});

test('only a failed task whose error is interrupted is interrupted', () => {
  for (const executor_id of [null, 'e']) {
    expect(taskState({ status: 'FAILED', executor_id, error: INTERRUPTED })).toBe('INTERRUPTED');
    expect(taskState({ status: 'FAILED', executor_id, error: { code: 'crashed' } })).toBe('FAILED');
    expect(taskState({ status: 'FAILED', executor_id, error: null })).toBe('FAILED');
  }
  expect(taskState({ status: 'CANCELLED', executor_id: 'e', error: INTERRUPTED })).toBe(
    'CANCELLED',
  );
});
