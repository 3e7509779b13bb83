import type { TaskRecord } from '@baton/protocol';

/** The drag data type of a task. While dragging, drop targets see the type but not the task. */
export const DRAGGED = 'application/x-baton-task';

let dragged: TaskRecord | undefined;

/** Remembers which task is dragged; nothing when it was let go. */
export function drag(task: TaskRecord | undefined): void {
  dragged = task;
}

/** The task that is dragged just now. */
export function draggedTask(): TaskRecord | undefined {
  return dragged;
}
