import type { TaskStatus } from '@baton/protocol';
import type { Tone } from '../design/badge.tsx';
import { useMay } from './daemon.tsx';

type Status = { label: string; tone: Tone; isAlive?: boolean };

const STATUSES: Readonly<Record<TaskStatus, Status>> = {
  QUEUED: { label: 'Queued', tone: 'neutral' },
  RUNNING: { label: 'Running', tone: 'info', isAlive: true },
  AWAITING_PERMISSION: { label: 'Needs input', tone: 'warn' },
  STOPPING: { label: 'Stopping', tone: 'warn', isAlive: true },
  COMPLETED: { label: 'Done', tone: 'good' },
  FAILED: { label: 'Failed', tone: 'bad' },
  CANCELLED: { label: 'Stopped', tone: 'neutral' },
};
/** For people who cannot answer. */
const FOR_VIEWERS: typeof STATUSES = {
  ...STATUSES,
  AWAITING_PERMISSION: { label: 'Awaiting response', tone: 'warn' },
};

/** How each state of a task is called for this person, and how it looks. */
export function useTaskStatuses(): Readonly<Record<TaskStatus, Status>> {
  return useMay('member') ? STATUSES : FOR_VIEWERS;
}
