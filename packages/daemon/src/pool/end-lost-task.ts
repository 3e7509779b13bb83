import type { Registry } from '@baton/agents/registry/registry';
import { BatonError, type StopReport } from '@baton/protocol';
import {
  type Ending,
  type LeaseRow,
  MAX_FAILED_STARTS,
  pauseTask,
  requeueTask,
  type Store,
  type TaskRow,
} from '@baton/store';
import { endTask } from '../commands/stop-task.ts';

/** Entries of a task among which its stop is looked for. */
const LAST_ENTRIES = 200;

export type Loss = {
  /** End of the executor, as a sentence. */
  words: string;
  /** Next step for the user. */
  hint?: string | undefined;
  /** Reason why some of its processes may still be running. */
  doubt?: string | undefined;
};

/**
 * Settles a task whose executor is gone. A task that no agent has seen is queued again, and one whose agent was waiting
 * for answers is paused; any other ends: as cancelled if it was being stopped, else as failed.
 */
export async function endLostTask(
  { store, registry }: { store: Store; registry: Registry },
  lease: LeaseRow,
  loss: Loss,
): Promise<void> {
  const { session_id, task_id, executor_id } = lease;
  const hadExecutor = (await store.records.executors.get(executor_id)) !== undefined;
  const requeueing = await requeueTask(store.log, lease, { hadExecutor });
  if (requeueing !== 'requeued' && !(await hasPaused(store, registry, lease))) {
    const task = await store.records.tasks.get(task_id);
    const isStarted = requeueing === 'kept';
    const ending = task && (await endingFor(store, task, isStarted ? loss : neverStarted(loss)));
    if (ending) await endTask(store, session_id, task_id, ending);
  }
  await store.records.executors.update({ executor_id }, { ended_at: store.now() });
}

async function hasPaused(store: Store, registry: Registry, lease: LeaseRow): Promise<boolean> {
  const task = await store.records.tasks.get(lease.task_id);
  const { capabilities } = (task && registry.find(task.backend)) ?? {};
  if (!capabilities?.features.resume) return false;
  return pauseTask(store.log, lease, store.now());
}

function neverStarted({ words, doubt }: Loss): Loss {
  return {
    words: `${MAX_FAILED_STARTS} executors in a row ended before they could start the agent. ${words}`,
    hint: 'Start the daemon with --verbose to see what the executor prints, then retry the task.',
    doubt,
  };
}

async function endingFor(
  store: Store,
  task: TaskRow,
  { words, hint, doubt }: Loss,
): Promise<Ending> {
  if (task.status === 'STOPPING') {
    return { outcome: 'cancelled', stop: await stopReport(store, task, doubt) };
  }
  const message = doubt === undefined ? words : `${words} ${doubt}`;
  return { outcome: 'failed', error: new BatonError('interrupted', message, { hint }).toJSON() };
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
