import type { Outcome } from '../outcome.ts';
import { OUTCOME_TABLE } from '../outcome.ts';

/** The states of a task, from the prompt in the queue to its end. */
export const TASK_STATUSES = [
  'QUEUED',
  'RUNNING',
  'AWAITING_PERMISSION',
  'STOPPING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

const FINAL: readonly TaskStatus[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** Whether a task has ended; from then on its state never changes. */
export function isFinal(status: TaskStatus): boolean {
  return FINAL.includes(status);
}

/** A status as people read it: it tells a paused task from a waiting agent, and an interrupted task from a failed one. */
export type TaskState = TaskStatus | 'PAUSED' | 'INTERRUPTED';

/** The state of a task to show. */
export function taskState(task: {
  status: TaskStatus;
  executor_id: string | null;
  error: { code: string } | null;
}): TaskState {
  if (isPaused(task)) return 'PAUSED';
  return task.status === 'FAILED' && task.error?.code === 'interrupted'
    ? 'INTERRUPTED'
    : task.status;
}

/** Whether a task awaits answers without an agent process. */
export function isPaused({
  status,
  executor_id,
}: {
  status: string;
  executor_id: string | null;
}): boolean {
  return status === 'AWAITING_PERMISSION' && executor_id === null;
}

/** The final state of a task whose run ended in some way. */
export function statusOfOutcome(outcome: Outcome): TaskStatus {
  return OUTCOME_TABLE[outcome].taskStatus;
}
