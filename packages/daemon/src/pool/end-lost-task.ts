import { BatonError, type StopReport } from '@baton/protocol';
import type { Ending, LeaseRow, Store, TaskRow } from '@baton/store';
import { endTask } from '../commands/stop-task.ts';

/** Entries of a task among which its stop is looked for. */
const LAST_ENTRIES = 200;

export type Loss = {
  /** What became of the executor, as a sentence. */
  words: string;
  /** Why it is not certain that nothing of it runs any more. */
  doubt?: string | undefined;
};

/** Ends a task in place of its executor, which is gone: as cancelled when it was to be stopped, else as failed. */
export async function endLostTask(
  store: Store,
  { session_id, task_id, executor_id }: LeaseRow,
  loss: Loss,
): Promise<void> {
  const task = await store.records.tasks.get(task_id);
  if (task) await endTask(store, session_id, task_id, await endingFor(store, task, loss));
  await store.records.executors.update({ executor_id }, { ended_at: store.now() });
}

async function endingFor(store: Store, task: TaskRow, { words, doubt }: Loss): Promise<Ending> {
  if (task.status === 'STOPPING') {
    return { outcome: 'cancelled', stop: await stopReport(store, task, doubt) };
  }
  const message = doubt === undefined ? words : `${words} ${doubt}`;
  return { outcome: 'failed', error: new BatonError('interrupted', message).toJSON() };
}

async function stopReport(
  store: Store,
  { session_id, task_id: taskId }: TaskRow,
  doubt: string | undefined,
): Promise<StopReport> {
  const now = store.now();
  const entries = await store.entries(session_id, { taskId, limit: LAST_ENTRIES });
  const requestedAt = entries.findLast(({ kind }) => kind === 'stop')?.time ?? now;
  const common = { requestedAt, steps: [], killed: 0 };
  return doubt === undefined
    ? { ...common, state: 'stopped', stoppedAt: now }
    : { ...common, state: 'unverified', reason: doubt };
}
