import { existsSync, readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { endProcessTree } from '@baton/process';
import {
  type AgentEvent,
  attachmentsName,
  BatonError,
  nextSpoolName,
  rawName,
  spoolName,
} from '@baton/protocol';
import { appendRun, type ExecutorRow, type LeaseRow, type Store } from '@baton/store';
import type { Logger } from 'pino';
import { readSettings } from '../settings/read-settings.ts';
import { rememberedProcess } from './held-executor.ts';
import { type RefusedLine, readLeftover, readSpool } from './read-spool.ts';

/**
 * Ends what is left of an executor that is gone, and takes what it had still to say from its spool. Gives why that
 * could not be made certain, if it could not.
 */
export async function takeLeftover(
  store: Store,
  lease: LeaseRow,
  { spoolFolder, log }: { spoolFolder: string; log: Logger },
): Promise<string | undefined> {
  const executor = await store.records.executors.get(lease.executor_id);
  const doubt = await (executor ? endExecutor(executor) : endUnknownExecutor(lease));
  const isHere = executor?.host === hostname();
  const folder = (isHere ? executor.spool_folder : undefined) ?? spoolFolder;
  // What was said matters more than how it was printed.
  await takeSpool(store, lease, { folder, log });
  await takeRest(store, lease.task_id, folder);
  return doubt;
}

/** Cleans a spool folder of ended tasks, if that was not possible at their end. */
export async function tidySpool(
  store: Store,
  folder: string,
  isOwn: (taskId: string) => boolean,
): Promise<void> {
  // A removed folder needs no cleanup.
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const taskIds = new Set(names.map((name) => name.split('.')[0] ?? ''));
  for (const taskId of taskIds) {
    if (isOwn(taskId) || (await store.leases.get(taskId))) continue;
    await takeRest(store, taskId, folder);
    removeSpool(taskId, folder);
  }
}

async function takeRest(store: Store, taskId: string, folder: string): Promise<void> {
  await takeRaw(store, taskId, folder);
  remove(join(folder, attachmentsName(taskId)), { recursive: true });
}

async function takeRaw(store: Store, taskId: string, folder: string): Promise<void> {
  const path = join(folder, rawName(taskId));
  const { 'raw_output.max_bytes': maxBytes } = await readSettings(store);
  const bytes = readLeftover(path, maxBytes);
  if (bytes) await store.rawOutput.append(taskId, { offset: 0, bytes, maxBytes });
  remove(path);
}

/** A spool is a file that an agent may be able to write: it counts no more than what an executor reports. */
async function takeSpool(
  store: Store,
  lease: LeaseRow,
  { folder, log }: { folder: string; log: Logger },
): Promise<void> {
  const { session_id: sessionId, task_id: taskId, executor_id: executorId, fence } = lease;
  const refuse = (line: RefusedLine) =>
    log.warn({ sessionId, taskId, executorId, ...line }, 'Rejected a line of a spool.');
  const onForgedAnswer = ({ type, seq }: AgentEvent) =>
    refuse({ type, seq, reason: 'No person gave this answer.' });
  try {
    for (const events of readSpool(join(folder, spoolName(taskId)), refuse)) {
      await appendRun(store.log, { sessionId, taskId, fence, events, onForgedAnswer });
    }
  } catch (error) {
    // The task has ended without it, or it makes no sense: then there is nothing to add.
    if (!BatonError.is(error)) throw error;
  }
  removeSpool(taskId, folder);
}

function removeSpool(taskId: string, folder: string): void {
  const path = join(folder, spoolName(taskId));
  remove(path);
  remove(nextSpoolName(path));
}

/** A user-supplied folder may be unusable; no task may wait for that. */
function remove(path: string, options: { recursive?: boolean } = {}): void {
  try {
    rmSync(path, { force: true, ...options });
  } catch {}
}

async function endExecutor(executor: ExecutorRow): Promise<string | undefined> {
  const { host, executor_id: runId } = executor;
  if (host !== hostname()) {
    return `Cannot check ${host} from here: its processes may still be running there.`;
  }
  const family = rememberedProcess(executor);
  const remaining = await endProcessTree(family ?? { ...NOBODY, runId });
  if (remaining > 0) return `Could not kill ${remaining} of its processes.`;
  return family
    ? undefined
    : 'It was not started by the daemon: its processes may still be running.';
}

/** A daemon that dies while it starts an executor may leave one that it has not written down yet. */
async function endUnknownExecutor({ executor_id: runId }: LeaseRow): Promise<undefined> {
  await endProcessTree({ ...NOBODY, runId });
}

/** No process has this number: then only the mark tells who belongs to the executor. */
const NOBODY = { pid: 0, startTicks: 0 };
