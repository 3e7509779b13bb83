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

/** True if a task has ended; its status never changes after that. */
export function isFinal(status: TaskStatus): boolean {
  return FINAL.includes(status);
}

/** A status for display: it separates a paused task from a waiting agent, and an interrupted task from a failed one. */
export type TaskState = TaskStatus | 'PAUSED' | 'INTERRUPTED';

/** Returns the state to display for a task. */
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

/** True if a task awaits answers without an agent process. */
export function isPaused({
  status,
  executor_id,
}: {
  status: string;
  executor_id: string | null;
}): boolean {
  return status === 'AWAITING_PERMISSION' && executor_id === null;
}

/** The final status of a task whose run had this outcome. */
export function statusOfOutcome(outcome: Outcome): TaskStatus {
  return OUTCOME_TABLE[outcome].taskStatus;
}
