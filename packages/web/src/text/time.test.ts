import { expect, test } from 'vitest';
import { taskTime } from './time.ts';

const at = (time: number) => new Date(time).toISOString();

test('the duration of a task is from its start to its end, and none while it is queued', () => {
  expect(taskTime({ started_at: null, completed_at: null }, 9000)).toBe(undefined);
  expect(taskTime({ started_at: null, completed_at: at(5000) }, 9000)).toBe(undefined);
  expect(taskTime({ started_at: at(2000), completed_at: null }, 9000)).toBe(7000);
  expect(taskTime({ started_at: at(2000), completed_at: at(5000) }, 9000)).toBe(3000);
  expect(taskTime({ started_at: at(2000), completed_at: null }, 1000)).toBe(0);
});
