import type { TaskState } from '@baton/protocol';
import type { Tone } from '../design/badge.tsx';
import { useMay } from './daemon.tsx';

type Status = { label: string; tone: Tone; isAlive?: boolean };

const STATUSES: Readonly<Record<TaskState, Status>> = {
  QUEUED: { label: 'Queued', tone: 'neutral' },
  RUNNING: { label: 'Running', tone: 'info', isAlive: true },
  AWAITING_PERMISSION: { label: 'Needs input', tone: 'warn' },
  PAUSED: { label: 'Needs input', tone: 'warn' },
  STOPPING: { label: 'Stopping', tone: 'warn', isAlive: true },
  COMPLETED: { label: 'Done', tone: 'good' },
  FAILED: { label: 'Failed', tone: 'bad' },
  INTERRUPTED: { label: 'Interrupted', tone: 'warn' },
  CANCELLED: { label: 'Stopped', tone: 'neutral' },
};
/** For people who cannot answer. */
const FOR_VIEWERS: typeof STATUSES = {
  ...STATUSES,
  AWAITING_PERMISSION: { label: 'Awaiting response', tone: 'warn' },
  PAUSED: { label: 'Awaiting response', tone: 'warn' },
};

/** The label and tone of each state of a task for this user. */
export function useTaskStatuses(): Readonly<Record<TaskState, Status>> {
  return useMay('member') ? STATUSES : FOR_VIEWERS;
}
