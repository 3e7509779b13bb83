import type { LogEvent } from '../session/session-event.ts';

/** The id of the entry that an event begins or changes; nothing when people see nothing of it. */
export function entryIdOf(event: LogEvent): string | undefined {
  switch (event.type) {
    case 'prompt.queued':
    case 'prompt.edited':
    case 'run.started':
      return `${event.taskId}:prompt`;
    case 'message.started':
    case 'message.delta':
    case 'message.completed':
      return `${event.taskId}:message:${event.messageId}`;
    case 'tool.started':
    case 'tool.updated':
    case 'tool.completed':
      return toolEntryId(event.taskId, event.callId);
    case 'permission.requested':
    case 'permission.resolved':
    case 'question.requested':
    case 'question.resolved':
    case 'answer.given':
      return `${event.taskId}:request:${event.requestId}`;
    case 'plan.updated':
      return `${event.taskId}:plan`;
    case 'run.completed':
      return `${event.taskId}:result`;
    case 'notice':
    case 'session.notice':
    case 'unparsed':
    case 'file.changed':
    case 'stop.requested':
    case 'session.changed':
      return `at:${event.cursor}`;
    default:
      return undefined;
  }
}

/** The id of the entry of a tool call. */
export function toolEntryId(taskId: string, callId: string): string {
  return `${taskId}:tool:${callId}`;
}
