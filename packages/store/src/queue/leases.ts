import type { Db } from '../engine/engine.ts';
import type { LeaseRow } from '../schema/tables.ts';

/** The rights of executors to carry out their tasks. */
export class Leases {
  #db: Db;
  #now: () => number;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** Extends the lease; false if the caller no longer holds it. */
  async renew(taskId: string, fence: number, leaseMs: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('leases')
      .set(({ eb }) => ({
        expires_at: this.#now() + leaseMs,
        renewals: eb('renewals', '+', 1),
      }))
      .where('task_id', '=', taskId)
      .where('fence', '=', fence)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /**
   * Records that an agent is about to get the task, which is never requeued then. False if the caller no longer holds
   * the task: then no agent may start.
   */
  async startAgent(taskId: string, fence: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('leases')
      .set({ agent_started: 1 })
      .where('task_id', '=', taskId)
      .where('fence', '=', fence)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Records that the agent did not start after all; false if the caller no longer holds the task. */
  async agentDidNotStart(taskId: string, fence: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('leases')
      .set({ agent_started: 0 })
      .where('task_id', '=', taskId)
      .where('fence', '=', fence)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Gives the lease of a task. */
  get(taskId: string): Promise<LeaseRow | undefined> {
    return this.#db
      .selectFrom('leases')
      .selectAll()
      .where('task_id', '=', taskId)
      .executeTakeFirst();
  }

  /** Gives the lease that an executor holds. */
  ofExecutor(executorId: string): Promise<LeaseRow | undefined> {
    return this.#db
      .selectFrom('leases')
      .selectAll()
      .where('executor_id', '=', executorId)
      .executeTakeFirst();
  }

  /** The leases that have not run out. */
  current(): Promise<LeaseRow[]> {
    return this.#db
      .selectFrom('leases')
      .selectAll()
      .where('expires_at', '>=', this.#now())
      .execute();
  }

  /** All leases, those that run out first before the others. */
  all(): Promise<LeaseRow[]> {
    return this.#db.selectFrom('leases').selectAll().orderBy('expires_at').execute();
  }

  /** All leases that one daemon gave. */
  ofDaemon(daemonId: string): Promise<LeaseRow[]> {
    return this.#db.selectFrom('leases').selectAll().where('daemon_id', '=', daemonId).execute();
  }
}
