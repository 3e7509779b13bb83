import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { attachmentsName, BatonError, rawName, spoolEvents, spoolName } from '@baton/protocol';
import { endFamily } from '@baton/runtime';
import { appendRun, type ExecutorRow, type LeaseRow, type Store } from '@baton/store';
import { readSettings } from '../settings/read-settings.ts';
import { rememberedProcess } from './held-executor.ts';

/**
 * Ends what is left of an executor that is gone, and takes what it had still to say from its spool. Gives why that
 * could not be made certain, if it could not.
 */
export async function takeLeftover(
  store: Store,
  lease: LeaseRow,
  spoolFolder: string,
): Promise<string | undefined> {
  const executor = await store.records.executors.get(lease.executor_id);
  const doubt = executor && (await endExecutor(executor));
  const folder = executor?.spool_folder ?? spoolFolder;
  // What was said matters more than how it was printed.
  await takeSpool(store, lease, folder);
  await takeRest(store, lease.task_id, folder);
  return doubt;
}

/** Clears a spool folder of tasks that nobody carries out any more, when that was not possible at their end. */
export async function tidySpool(
  store: Store,
  folder: string,
  isOwn: (taskId: string) => boolean,
): Promise<void> {
  const taskIds = new Set(readdirSync(folder).map((name) => name.split('.')[0] ?? ''));
  for (const taskId of taskIds) {
    if (isOwn(taskId) || (await store.leases.get(taskId))) continue;
    await takeRest(store, taskId, folder);
    remove(join(folder, spoolName(taskId)));
  }
}

async function takeRest(store: Store, taskId: string, folder: string): Promise<void> {
  await takeRaw(store, taskId, folder);
  remove(join(folder, attachmentsName(taskId)));
}

async function takeRaw(store: Store, taskId: string, spoolFolder: string): Promise<void> {
  const path = join(spoolFolder, rawName(taskId));
  const bytes = readIfThere(path);
  if (bytes) {
    const { 'raw_output.max_bytes': maxBytes } = await readSettings(store);
    await store.rawOutput.append(taskId, { offset: 0, bytes, maxBytes });
  }
  remove(path);
}

async function takeSpool(store: Store, lease: LeaseRow, spoolFolder: string): Promise<void> {
  const path = join(spoolFolder, spoolName(lease.task_id));
  const text = readIfThere(path)?.toString('utf8');
  if (text === undefined) return;
  const { session_id: sessionId, task_id: taskId, fence } = lease;
  try {
    await appendRun(store.log, { sessionId, taskId, fence, events: spoolEvents(text) });
  } catch (error) {
    // The task has ended without it, or it makes no sense: then there is nothing to add.
    if (!BatonError.is(error)) throw error;
  }
  remove(path);
}

async function endExecutor(executor: ExecutorRow): Promise<string | undefined> {
  const { host, executor_id: runId } = executor;
  if (host !== hostname()) {
    return `Nobody can look at ${host} from here: what it started may still run there.`;
  }
  const family = rememberedProcess(executor);
  const remaining = await endFamily(family ?? { ...NOBODY, runId });
  if (remaining > 0) return `${remaining} of its processes could not be killed.`;
  return family ? undefined : 'It was not started by the daemon: what it started may still run.';
}

/** No process has this number: then only the mark tells who belongs to the executor. */
const NOBODY = { pid: 0, startTicks: 0 };

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** What belongs to another user cannot be removed, and is left to whoever tidies up there. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {}
}
