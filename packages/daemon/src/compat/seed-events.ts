import type { LogEvent } from '@baton/protocol';
import { moment } from '../records/record-of.ts';

/** An event of a service, as the first design of the daemon named it. */
export type SeedEvent = {
  service: 'sessions' | 'tasks' | 'messages';
  name: string;
  data: Record<string, unknown> & { session_id: string };
};

/** Gives the id of the message that an event belongs to. */
type MessageIds = (event: LogEvent & { taskId: string; messageId: string }) => string;

/** Converts an event of the log into service events; most have none. */
export function seedEventOf(
  sessionId: string,
  event: LogEvent,
  messageId: MessageIds,
): SeedEvent | undefined {
  const task = { session_id: sessionId, task_id: 'taskId' in event ? event.taskId : undefined };
  switch (event.type) {
    case 'stop.requested':
      return {
        service: 'sessions',
        name: 'task_stop',
        data: { ...task, timestamp: moment(event.time) },
      };
    case 'answer.given': {
      if (!('decision' in event.answer)) return undefined;
      const approved = event.answer.decision === 'allow';
      return resolved({ ...task, request_id: event.requestId, approved });
    }
    case 'permission.resolved':
      // What a person decided was told when it was decided.
      if (event.by === 'person') return undefined;
      return resolved({
        ...task,
        request_id: event.requestId,
        approved: event.decision === 'allow',
      });
    case 'message.started':
    case 'message.delta':
    case 'message.completed': {
      const kind = event.kind === 'thinking' ? 'thinking' : 'streaming';
      const data = { ...task, message_id: messageId(event) };
      if (event.type === 'message.started') return said(`${kind}:start`, data);
      if (event.type === 'message.completed') return said(`${kind}:end`, data);
      return said(`${kind}:chunk`, { ...data, chunk: event.text });
    }
    default:
      return undefined;
  }
}

function resolved(data: SeedEvent['data']): SeedEvent {
  return { service: 'messages', name: 'permission_resolved', data };
}

function said(name: string, data: SeedEvent['data']): SeedEvent {
  return { service: 'messages', name, data };
}
