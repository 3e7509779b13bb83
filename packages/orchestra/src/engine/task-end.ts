import type { ErrorInfo, Outcome, TaskEvent, Usage } from '@baton/protocol';
import type { Store, TaskRow } from '@baton/store';
import type { TaskEnd } from './step-host.ts';

/** The last event of a task is among the last of its session, in which only this chain works. */
const LAST_EVENTS = 50;

/** How a task ended, from the store. */
export async function taskEndOf(store: Store, task: TaskRow): Promise<TaskEnd> {
  const session = await store.records.sessions.get(task.session_id);
  const after = Math.max(0, (session?.head_cursor ?? 0) - LAST_EVENTS);
  const { events } = await store.log.read(task.session_id, after, LAST_EVENTS);
  const completed = events.find(
    (event): event is Extract<TaskEvent, { type: 'run.completed' }> =>
      event.type === 'run.completed' && event.taskId === task.task_id,
  );
  return {
    outcome: (task.outcome ?? 'failed') as Outcome,
    output: task.output ?? '',
    structured: completed?.structured,
    usage: usageOf(task),
    error: task.error === null ? undefined : (JSON.parse(task.error) as ErrorInfo),
  };
}

/** What a task consumed, as far as its agent has said. */
export function usageOf({ usage }: TaskRow): Usage | undefined {
  return usage === null ? undefined : (JSON.parse(usage) as Usage);
}
