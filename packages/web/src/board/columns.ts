import type { TaskStatus } from '@baton/protocol';

/** A column of the board. */
export type Column = {
  id: 'queued' | 'running' | 'waiting' | 'done' | 'ended';
  /** The label of its first status by default. */
  title?: string;
  statuses: readonly [TaskStatus, ...TaskStatus[]];
  /** Text of the empty column. */
  empty: string;
};

/** The columns, in the order in which a task moves through them. */
export const COLUMNS: readonly Column[] = [
  { id: 'queued', statuses: ['QUEUED'], empty: 'Queue is empty' },
  {
    id: 'running',
    statuses: ['RUNNING', 'STOPPING'],
    empty: 'No tasks running',
  },
  {
    id: 'waiting',
    statuses: ['AWAITING_PERMISSION'],
    empty: 'Nothing needs input',
  },
  { id: 'done', statuses: ['COMPLETED'], empty: 'No completed tasks' },
  {
    id: 'ended',
    title: 'Failed or stopped',
    statuses: ['FAILED', 'CANCELLED'],
    empty: 'No failures',
  },
];

const RUNNING: ReadonlySet<Column['id']> = new Set(['running', 'waiting']);

/** True for the columns of tasks whose agents may change files. */
export function isRunning({ id }: Column): boolean {
  return RUNNING.has(id);
}

/** Returns the action for a task that is dropped on a column; undefined if there is none. */
export function dropMeans(status: TaskStatus, column: Column['id']): 'stop' | 'retry' | undefined {
  const isOver = status === 'FAILED' || status === 'CANCELLED';
  if (column === 'queued' && isOver) return 'retry';
  const isAlive = status === 'QUEUED' || status === 'RUNNING' || status === 'AWAITING_PERMISSION';
  return column === 'ended' && isAlive ? 'stop' : undefined;
}
