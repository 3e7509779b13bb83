import type { LogEvent } from '@baton/protocol';

const MILESTONES: ReadonlySet<string> = new Set<LogEvent['type']>([
  'prompt.queued',
  'prompt.edited',
  'task.started',
  'permission.requested',
  'permission.resolved',
  'question.requested',
  'question.resolved',
  'answer.given',
  'stop.requested',
  'session.changed',
  'run.completed',
  'task.lost',
]);

/** Whether an event tells of a file that was changed. */
export function isFileChange(event: LogEvent): boolean {
  if (event.type === 'file.changed') return true;
  return event.type === 'tool.completed' && event.action.type === 'file.edit';
}

/** Whether an event changes what the records say of a task. */
export function isMilestone({ type }: LogEvent): boolean {
  return MILESTONES.has(type);
}
