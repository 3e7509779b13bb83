import { isFinal, type TaskRecord } from '@baton/protocol';

/** The task that runs, or else the first that waits for its turn. */
export function currentTask(tasks: readonly TaskRecord[]): TaskRecord | undefined {
  const open = tasks.filter(({ status }) => !isFinal(status));
  return open.find(({ status }) => status !== 'QUEUED') ?? earliest(open);
}

/** The task that tells how the session is: the current one, or else the one that ended last. */
export function tellingTask(tasks: readonly TaskRecord[]): TaskRecord | undefined {
  return currentTask(tasks) ?? tasks.toSorted(byEnd).at(-1);
}

/** The prompts whose turn comes later, in their order. */
export function queuedTasks(tasks: readonly TaskRecord[]): TaskRecord[] {
  const queued = tasks.filter(({ status }) => status === 'QUEUED');
  return queued.sort((one, other) => one.position - other.position);
}

function earliest(tasks: readonly TaskRecord[]): TaskRecord | undefined {
  return tasks.reduce<TaskRecord | undefined>(
    (first, task) => (first && first.position < task.position ? first : task),
    undefined,
  );
}

function byEnd(one: TaskRecord, other: TaskRecord): number {
  const endOf = ({ completed_at }: TaskRecord) => Date.parse(completed_at ?? '');
  return endOf(one) - endOf(other) || one.position - other.position;
}
