import type { TaskStatus } from '@baton/protocol';
import type { Tone } from '../design/badge.tsx';

/** How each state of a task is called, and how it looks. */
export const TASK_STATUS: Readonly<
  Record<TaskStatus, { label: string; tone: Tone; isAlive?: boolean }>
> = {
  QUEUED: { label: 'Queued', tone: 'neutral' },
  RUNNING: { label: 'Running', tone: 'info', isAlive: true },
  AWAITING_PERMISSION: { label: 'Waits for you', tone: 'warn' },
  STOPPING: { label: 'Stopping', tone: 'warn', isAlive: true },
  COMPLETED: { label: 'Done', tone: 'good' },
  FAILED: { label: 'Failed', tone: 'bad' },
  CANCELLED: { label: 'Stopped', tone: 'neutral' },
};
