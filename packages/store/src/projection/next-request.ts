import type { LogEvent } from '@baton/protocol';
import type { RequestRow } from '../schema/tables.ts';

/** Returns the row of a request after an event of its session. */
export function nextRequest(
  sessionId: string,
  before: RequestRow | undefined,
  event: LogEvent,
): RequestRow | undefined {
  switch (event.type) {
    case 'permission.requested':
    case 'question.requested':
      return {
        session_id: sessionId,
        task_id: event.taskId,
        request_id: event.requestId,
        kind: event.type === 'permission.requested' ? 'permission' : 'question',
        asked_at: event.time,
        status: 'pending',
        request: JSON.stringify(event),
        answer: null,
        answered_by: null,
        answered_at: null,
        resolution: null,
      };
    case 'answer.given':
      return before && before.status === 'pending'
        ? {
            ...before,
            status: 'answered',
            answer: JSON.stringify(event.answer),
            answered_by: event.by ?? null,
            answered_at: event.time,
          }
        : before;
    case 'permission.resolved':
    case 'question.resolved':
      return before && { ...before, status: 'resolved', resolution: JSON.stringify(event) };
    default:
      return before;
  }
}
