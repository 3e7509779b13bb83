import { expect, test } from 'vitest';
import { queueBlock, slotsInUse } from './queue-block.ts';

const load = (tasks: object, more: object = {}) => ({ tasks, slots: 4, maxAwaiting: 50, ...more });

test('tasks that need input use no slots, up to their limit', () => {
  const tasks = { RUNNING: 2, STOPPING: 1, AWAITING_PERMISSION: 4 };
  expect(slotsInUse(load(tasks))).toBe(3);
  expect(slotsInUse(load(tasks, { maxAwaiting: 1 }))).toBe(6);
});

test('says nothing while a queued task can start, or nothing is queued', () => {
  expect(queueBlock(load({ RUNNING: 4 }))).toBeNull();
  expect(queueBlock(load({ QUEUED: 1, RUNNING: 3, AWAITING_PERMISSION: 9 }))).toBeNull();
});

test('says what blocks the queue', () => {
  const queued = { QUEUED: 45 };
  expect(queueBlock(load({ ...queued, RUNNING: 4 }))).toEqual({
    code: 'slots_in_use',
    message: 'All 4 slots are in use.',
  });
  expect(queueBlock(load({ ...queued, AWAITING_PERMISSION: 4 }, { maxAwaiting: 0 }))).toEqual({
    code: 'needs_input',
    message: 'Blocked: 4 tasks need input.',
  });
  expect(queueBlock(load(queued, { slots: 0 }))?.code).toBe('no_slots');
});
