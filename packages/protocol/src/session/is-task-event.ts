import type { LogEvent, TaskEvent } from './session-event.ts';

/** True for events of an agent's run, false for events of the session itself. */
export function isTaskEvent(event: LogEvent): event is TaskEvent {
  return 'runId' in event;
}
