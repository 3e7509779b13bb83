import { isFinal, type ListedTask } from '@baton/protocol';

/** The task that runs, or else the queued one that starts next; none while the queue is paused. */
export function currentTask(tasks: readonly ListedTask[]): ListedTask | undefined {
  const open = tasks.filter(({ status }) => !isFinal(status));
  const running = open.find(({ status }) => status !== 'QUEUED');
  return running ?? earliest(open.filter(({ queue_paused }) => !queue_paused));
}

/** True if an agent may change files now. */
export function isWorking(tasks: readonly ListedTask[]): boolean {
  return tasks.some(({ status }) => !isFinal(status) && status !== 'QUEUED');
}

/** The task whose status represents the session: the current one, or else the one that ended last. */
export function tellingTask(tasks: readonly ListedTask[]): ListedTask | undefined {
  const ended = tasks.filter(({ status }) => isFinal(status));
  return currentTask(tasks) ?? ended.sort(byEnd).at(-1);
}

/** The prompts that start after the current task, in their order. */
export function queuedTasks(tasks: readonly ListedTask[]): ListedTask[] {
  const current = currentTask(tasks);
  const queued = tasks.filter((task) => task.status === 'QUEUED' && task !== current);
  return queued.sort((one, other) => one.position - other.position);
}

/** True if queued prompts wait for the queue to be resumed. */
export function isQueuePaused(tasks: readonly ListedTask[]): boolean {
  return tasks.some(({ status, queue_paused }) => status === 'QUEUED' && queue_paused);
}

function earliest(tasks: readonly ListedTask[]): ListedTask | undefined {
  return tasks.reduce<ListedTask | undefined>(
    (first, task) => (first && first.position < task.position ? first : task),
    undefined,
  );
}

function byEnd(one: ListedTask, other: ListedTask): number {
  const endOf = ({ completed_at }: ListedTask) => Date.parse(completed_at ?? '');
  return endOf(one) - endOf(other) || one.position - other.position;
}
