import { readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { attachmentsName, BatonError, spoolEvents, spoolName } from '@baton/protocol';
import { endFamily } from '@baton/runtime';
import { appendRun, type LeaseRow, type Store } from '@baton/store';

/** Ends what is left of an executor that is gone, and takes what it had still to say from its spool. */
export async function takeLeftover(
  store: Store,
  lease: LeaseRow,
  spoolFolder: string,
): Promise<void> {
  await endExecutor(store, lease);
  rmSync(join(spoolFolder, attachmentsName(lease.task_id)), { recursive: true, force: true });
  const path = join(spoolFolder, spoolName(lease.task_id));
  const text = readIfThere(path);
  if (text === undefined) return;
  const { session_id: sessionId, task_id: taskId, fence } = lease;
  try {
    await appendRun(store.log, { sessionId, taskId, fence, events: spoolEvents(text) });
  } catch (error) {
    // The task has ended without it: then there is nothing to add.
    if (!BatonError.is(error) || error.code !== 'lease_lost') throw error;
  }
  rmSync(path, { force: true });
}

async function endExecutor(store: Store, { executor_id }: LeaseRow): Promise<void> {
  const executor = await store.records.executors.get(executor_id);
  if (!executor?.pid || executor.host !== hostname()) return;
  const { pid, start_ticks: startTicks } = executor;
  // Without its time of birth the number may be that of somebody else by now.
  if (startTicks === null) return;
  await endFamily({ pid, startTicks, runId: executor_id });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
