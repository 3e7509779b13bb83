import { type ErrorInfo, isTaskEvent, type Outcome, type Usage } from '@baton/protocol';
import { MarkerDetector } from '@baton/runtime/contracts';
import type { Store, TaskRow } from '@baton/store';
import type { TaskEnd } from './step-host.ts';

const PAGE = 1000;

/** Reads the end of a task from the store. */
export async function taskEndOf(store: Store, task: TaskRow): Promise<TaskEnd> {
  const detector = new MarkerDetector();
  let structured: unknown;
  // The cursor of its prompt is where its events begin.
  for (let after = task.position, isMore = true; isMore; ) {
    const { events } = await store.log.read(task.session_id, after, PAGE);
    for (const event of events) {
      after = event.cursor;
      if (!isTaskEvent(event) || event.taskId !== task.task_id) continue;
      detector.see(event);
      if (event.type === 'run.completed') structured = event.structured;
    }
    isMore = events.length > 0;
  }
  return {
    outcome: (task.outcome ?? 'failed') as Outcome,
    output: task.output ?? '',
    structured,
    usage: usageOf(task),
    error: task.error === null ? undefined : (JSON.parse(task.error) as ErrorInfo),
    marker: detector.found,
  };
}

/** Returns the usage of a task, as far as its agent has reported it. */
export function usageOf({ usage }: TaskRow): Usage | undefined {
  return usage === null ? undefined : (JSON.parse(usage) as Usage);
}
