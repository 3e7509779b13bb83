import { hostname } from 'node:os';
import type { LeaseRow } from '@baton/store';
import type { DaemonContext } from '../context.ts';
import { endLostTask } from './end-lost-task.ts';
import { takeLeftover } from './leftover.ts';
import { isGone } from './lost-executors.ts';

type Context = Pick<DaemonContext, 'baton' | 'store' | 'log' | 'daemonId'>;

/**
 * Settles the tasks whose executors ended while this daemon was away, as in a reboot. Call it before anyone can answer
 * their requests: the answer would go to an agent that is gone, instead of resuming it.
 */
export async function endGoneTasks(context: Context, spoolFolder: string): Promise<void> {
  const { store, log, daemonId } = context;
  const leases = await store.leases.ofDaemon(daemonId);
  const ended = await Promise.allSettled(
    leases.map((lease) => endIfGone(context, lease, spoolFolder)),
  );
  for (const each of ended) {
    // The pool tries again when it has taken over the executors.
    if (each.status === 'rejected') log.warn({ err: each.reason }, 'Could not settle a lost task.');
  }
}

async function endIfGone(
  { baton, store, log }: Context,
  lease: LeaseRow,
  spoolFolder: string,
): Promise<void> {
  const { executors } = store.records;
  const { executor_id } = lease;
  const executor = await executors.get(executor_id);
  if (!executor || !isGone(executor)) return;
  // A container gets another name with each start, and a laptop with each network.
  await executors.update({ executor_id }, { host: hostname() });
  const doubt = await takeLeftover(store, lease, { spoolFolder, log });
  const words = 'The executor ended before its task did.';
  await endLostTask({ store, registry: baton.registry }, lease, { words, doubt });
}
