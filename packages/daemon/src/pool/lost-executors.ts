import { hostname } from 'node:os';
import { isAlive } from '@baton/process';
import type { ExecutorRow, LeaseRow, Store } from '@baton/store';
import { rememberedProcess } from './held-executor.ts';
import type { SilenceWatch } from './silence-watch.ts';

export type Watch = {
  /** For how long an executor may be silent. */
  leaseMs: number;
  /** Tells for how long executors have been silent; one look around has begun. */
  silence: Pick<SilenceWatch, 'silentFor'>;
  /** Of a task whose executor this daemon handles itself. */
  isOwn(taskId: string): boolean;
};

/** Finds the tasks whose executors are gone or silent for too long, and notes of other executors that they have ended. */
export async function lostLeases(store: Store, watch: Watch): Promise<LeaseRow[]> {
  const leases = await store.leases.all();
  const rows = await store.records.executors.find({ where: { ended_at: null } });
  const executors = new Map(rows.map((row) => [row.executor_id, row]));
  const held = new Set(leases.map(({ executor_id }) => executor_id));
  for (const row of rows) {
    if (!held.has(row.executor_id) && hasEnded(row, watch)) await end(store, row);
  }
  return leases.filter((lease) => isLost(lease, executors.get(lease.executor_id), watch));
}

function isLost(
  lease: LeaseRow,
  executor: ExecutorRow | undefined,
  { leaseMs, silence, isOwn }: Watch,
): boolean {
  const { task_id, fence, renewals, expires_at } = lease;
  // Daemons of earlier versions do not count renewals.
  const mark = `${fence} ${renewals} ${expires_at}`;
  const silentMs = silence.silentFor(`lease ${task_id}`, mark);
  const isHere = executor === undefined || executor.host === hostname();
  if (!isOwn(lease.task_id) && isHere && isGone(executor)) return true;
  // A daemon on the machine of a lost executor can read its spool, and goes first.
  return silentMs >= (isHere ? leaseMs : 2 * leaseMs);
}

function hasEnded(executor: ExecutorRow, { leaseMs, silence, isOwn }: Watch): boolean {
  if (isOwn(executor.task_id)) return false;
  const { executor_id, heartbeat_at } = executor;
  const silentMs = silence.silentFor(`executor ${executor_id}`, `${heartbeat_at}`);
  return silentMs >= 2 * leaseMs || (executor.host === hostname() && isGone(executor));
}

/** True if the process of an executor on this machine has ended. */
export function isGone(executor: ExecutorRow | undefined): boolean {
  const process = executor && rememberedProcess(executor);
  return process !== undefined && !isAlive(process);
}

async function end({ records, now }: Store, { executor_id }: ExecutorRow): Promise<void> {
  await records.executors.update({ executor_id }, { ended_at: now() });
}
