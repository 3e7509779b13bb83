import { type TaskRecord, type TaskState, taskState } from '@baton/protocol';
import type { Cell } from '../view/table.ts';

const FORMATS = {
  QUEUED: 'dim',
  RUNNING: 'cyan',
  AWAITING_PERMISSION: 'yellow',
  PAUSED: 'yellow',
  STOPPING: 'yellow',
  COMPLETED: 'green',
  FAILED: 'red',
  INTERRUPTED: 'yellow',
  CANCELLED: 'dim',
} as const satisfies Record<TaskState, string>;

/** The state of a task, as a table shows it. */
export function statusCell(task: Pick<TaskRecord, 'status' | 'executor_id' | 'error'>): Cell {
  const state = taskState(task);
  return { text: state.toLowerCase().replace('_', ' '), format: FORMATS[state] };
}
