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

/** The final state of a task whose run ended in some way. */
export function statusOfOutcome(outcome: Outcome): TaskStatus {
  return OUTCOME_TABLE[outcome].taskStatus;
}
