import type { LogEvent, TaskEvent } from './session-event.ts';

/** Whether an event of the log was said by the run of a task. */
export function isTaskEvent(event: LogEvent): event is TaskEvent {
  return 'runId' in event;
}
