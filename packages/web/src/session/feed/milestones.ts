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

/** True if an event reports a changed file. */
export function isFileChange(event: LogEvent): boolean {
  if (event.type === 'file.changed') return true;
  return event.type === 'tool.completed' && event.action.type === 'file.edit';
}

/** True if an event changes the records of a task. */
export function isMilestone({ type }: LogEvent): boolean {
  return MILESTONES.has(type);
}
