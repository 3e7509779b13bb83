import type { TaskStatus } from '@baton/protocol';

/** A state on the board, with what its tasks have in common. */
export type Column = {
  id: 'queued' | 'running' | 'waiting' | 'done' | 'ended';
  /** That of its first state unless it has its own. */
  title?: string;
  statuses: readonly [TaskStatus, ...TaskStatus[]];
  /** Said when nothing is in it. */
  empty: string;
};

/** All of them, in the order in which a task goes through. */
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

/** What dropping a task of some state on a column does; nothing where it would mean nothing. */
export function dropMeans(status: TaskStatus, column: Column['id']): 'stop' | 'retry' | undefined {
  const isOver = status === 'FAILED' || status === 'CANCELLED';
  if (column === 'queued' && isOver) return 'retry';
  const isAlive = status === 'QUEUED' || status === 'RUNNING' || status === 'AWAITING_PERMISSION';
  return column === 'ended' && isAlive ? 'stop' : undefined;
}
