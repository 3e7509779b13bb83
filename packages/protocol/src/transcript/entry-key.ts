import type { LogEvent } from '../session/session-event.ts';

/** Returns the key of the entry that an event changes; undefined if the event is not shown. */
export function entryKeyOf(event: LogEvent): string | undefined {
  switch (event.type) {
    case 'prompt.queued':
    case 'prompt.edited':
    case 'run.started':
    case 'run.identified':
      return promptEntryKey(event.taskId);
    case 'message.started':
    case 'message.delta':
    case 'message.completed':
      return `${event.taskId}:message:${event.messageId}`;
    case 'tool.started':
    case 'tool.updated':
    case 'tool.completed':
      return toolEntryKey(event.taskId, event.callId);
    case 'permission.requested':
    case 'permission.resolved':
    case 'question.requested':
    case 'question.resolved':
    case 'answer.given':
      return `${event.taskId}:request:${event.requestId}`;
    case 'plan.updated':
      return `${event.taskId}:plan`;
    case 'unparsed':
      return `${event.taskId}:unparsed`;
    case 'run.completed':
      return `${event.taskId}:result`;
    case 'notice':
    case 'session.notice':
    case 'file.changed':
    case 'stop.requested':
    case 'session.changed':
    case 'work.finished':
      return `at:${event.cursor}`;
    default:
      return undefined;
  }
}

const BEGINNINGS: ReadonlySet<LogEvent['type']> = new Set([
  'message.started',
  'tool.started',
  'permission.requested',
  'question.requested',
] as const);

/** True if an event starts a new entry when no entry with its key is open: agents reuse ids. */
export function isBeginning({ type }: LogEvent): boolean {
  return BEGINNINGS.has(type);
}

/** The key of the entry of a task's prompt. */
export function promptEntryKey(taskId: string): string {
  return `${taskId}:prompt`;
}

/** The key of the entry of a tool call. */
export function toolEntryKey(taskId: string, callId: string): string {
  return `${taskId}:tool:${callId}`;
}
