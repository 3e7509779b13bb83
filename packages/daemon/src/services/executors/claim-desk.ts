import { createHash, randomUUID } from 'node:crypto';
import { BatonError } from '@baton/protocol';
import type { LeaseRow } from '@baton/store';
import type { DaemonContext } from '../../context.ts';

export type TaskClaim = {
  userId: string;
  /** Made by whoever asks, who uses it again when the answer got lost. */
  claimId?: string | undefined;
  host: string;
  /** Only this one, if its turn has come. */
  taskId?: string | undefined;
};

type Context = Pick<DaemonContext, 'store' | 'daemonId' | 'leaseMs'>;

/** Claims tasks for executors that people start, and gives the same one to who asks again. */
export class ClaimDesk {
  #context: Context;
  #underWay = new Map<string, Promise<LeaseRow>>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Gives the lease of a task whose turn has come. */
  async take(claim: TaskClaim): Promise<LeaseRow> {
    const id = executorIdOf(claim);
    const taking = this.#underWay.get(id) ?? this.#take(id, claim);
    this.#underWay.set(id, taking);
    return taking.finally(() => this.#underWay.delete(id));
  }

  async #take(executorId: string, { host, taskId }: TaskClaim): Promise<LeaseRow> {
    const { store, daemonId, leaseMs } = this.#context;
    const had = await store.leases.ofExecutor(executorId);
    if (had && (await store.leases.renew(had.task_id, had.fence, leaseMs))) return had;
    const claim = await store.queue.claim({ executorId, daemonId, host, leaseMs, taskId });
    if (claim) return claim.lease;
    throw new BatonError('conflict', 'There is no task whose turn has come.');
  }
}

/** Made from the user too: with the claim of somebody else one gets nothing of theirs. */
function executorIdOf({ userId, claimId }: TaskClaim): string {
  if (claimId === undefined) return randomUUID();
  const hex = createHash('sha256').update(`${userId} ${claimId}`).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
