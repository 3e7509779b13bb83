import { readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { BatonError, spoolEvents, spoolName } from '@baton/protocol';
import { endFamily } from '@baton/runtime';
import { appendRun, type ExecutorRow, type LeaseRow, type Store } from '@baton/store';

/** Ends what is left of an executor that is gone, and takes what it had still to say from its spool. */
export async function takeLeftover(
  store: Store,
  lease: LeaseRow,
  spoolFolder: string,
): Promise<void> {
  const executor = await store.records.executors.get(lease.executor_id);
  if (executor?.host === hostname()) await endExecutor(executor);
  const path = join(executor?.spool_folder ?? spoolFolder, spoolName(lease.task_id));
  const text = readIfThere(path);
  if (text === undefined) return;
  const { session_id: sessionId, task_id: taskId, fence } = lease;
  try {
    await appendRun(store.log, { sessionId, taskId, fence, events: spoolEvents(text) });
  } catch (error) {
    // The task has ended without it, or it makes no sense: then there is nothing to add.
    if (!BatonError.is(error)) throw error;
  }
  rmSync(path, { force: true });
}

async function endExecutor({ executor_id, pid, start_ticks }: ExecutorRow): Promise<void> {
  // Without its time of birth the number may be that of somebody else by now.
  const isCertain = pid !== null && start_ticks !== null;
  const holder = isCertain ? { pid, startTicks: start_ticks } : undefined;
  await endFamily({ holder, runId: executor_id });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
