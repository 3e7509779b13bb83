import type { TaskStatus } from '@baton/protocol';
import type { Cell } from '../view/table.ts';

const FORMATS = {
  QUEUED: 'dim',
  RUNNING: 'cyan',
  AWAITING_PERMISSION: 'yellow',
  STOPPING: 'yellow',
  COMPLETED: 'green',
  FAILED: 'red',
  CANCELLED: 'dim',
} as const;

/** The state of a task, as a table shows it. */
export function statusCell(status: TaskStatus): Cell {
  return { text: status.toLowerCase().replace('_', ' '), format: FORMATS[status] };
}
