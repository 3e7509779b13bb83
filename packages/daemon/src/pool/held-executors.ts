import { raceTimer } from '@baton/process/time/race-timer';
import type { LeaseRow } from '@baton/store';
import { stopTask } from '../commands/stop-task.ts';
import type { DaemonContext } from '../context.ts';
import { endLostTask } from './end-lost-task.ts';
import type { HeldExecutor } from './held-executor.ts';
import { takeLeftover } from './leftover.ts';

type HeldOptions = {
  spoolFolder: string;
  /** Time limit for an executor to stop its agent; then it is killed. */
  stopMs: number;
  /** Maximum time between confirmations of a stop; then the executor is killed. */
  confirmStopMs: number;
  /** True if the executor of an ended task waits for the next one. */
  isReady(taskId: string): boolean;
  /** Called when an executor is gone and its slot is free. */
  onEnded(executorId: string): void;
};

type Context = Pick<DaemonContext, 'baton' | 'store' | 'log'>;

/** The executors that this daemon supervises, by task: makes sure that each executor and its task end. */
export class HeldExecutors {
  #context: Context;
  #options: HeldOptions;
  #held = new Map<string, HeldExecutor>();
  /** Resolves when the end of an executor has been handled completely. */
  #settled = new Map<string, Promise<void>>();
  #stopTimers = new Map<string, NodeJS.Timeout>();
  /** For executors that have to stop their agents: they confirm that again and again. */
  #confirmTimers = new Map<string, NodeJS.Timeout>();
  #released = false;

  constructor(context: Context, options: HeldOptions) {
    this.#context = context;
    this.#options = options;
  }

  get size(): number {
    return this.#held.size;
  }

  has(taskId: string): boolean {
    return this.#held.has(taskId);
  }

  get(taskId: string): HeldExecutor | undefined {
    return this.#held.get(taskId);
  }

  /** Returns the executor with this id, whatever its task is now. */
  ofExecutor(executorId: string): HeldExecutor | undefined {
    return this.all().find(({ lease }) => lease.executor_id === executorId);
  }

  taskIds(): string[] {
    return [...this.#held.keys()];
  }

  all(): HeldExecutor[] {
    return [...this.#held.values()];
  }

  /** Sees to an executor from now on. */
  add(held: HeldExecutor): void {
    const { log } = this.#context;
    const { task_id } = held.lease;
    const settled = held.ended.then((how) => {
      if (!this.#released) return this.#ended(held.lease, how);
    });
    settled.catch((error) => log.error({ err: error }, 'Could not handle the end of an executor.'));
    this.#held.set(task_id, held);
    this.#settled.set(task_id, settled);
  }

  /** Gives an executor that is held the next task of its session. */
  renew(held: HeldExecutor, lease: LeaseRow): void {
    this.#held.delete(held.lease.task_id);
    this.add({ ...held, lease });
  }

  /**
   * Gives an executor time to stop its agent, as long as it keeps confirming the stop. Without a confirmation, because
   * it is frozen or hangs, it is killed with its agent.
   */
  stopLater(taskId: string): void {
    this.endLater(taskId);
    if (!this.#confirmTimers.has(taskId)) this.#awaitConfirmation(taskId);
  }

  /** Called when an executor confirms that it is stopping its agent. */
  confirmStop(taskId: string): void {
    if (this.#confirmTimers.has(taskId)) this.#awaitConfirmation(taskId);
  }

  #awaitConfirmation(taskId: string): void {
    const held = this.#held.get(taskId);
    if (!held) return;
    clearTimeout(this.#confirmTimers.get(taskId));
    const kill = () => void held.stop(0).catch((error) => this.#complain(error, taskId));
    this.#confirmTimers.set(taskId, setTimeout(kill, this.#options.confirmStopMs));
  }

  /** Gives an executor time to end, and ends it then. */
  endLater(taskId: string): void {
    if (this.#held.has(taskId) && !this.#stopTimers.has(taskId)) this.#endAfter(taskId);
  }

  /**
   * Called when the task of an executor has ended: the executor then exits, or waits with its agent for the next task.
   */
  expectEnd(taskId: string): void {
    const held = this.#held.get(taskId);
    if (!held) return;
    this.#forgetTimer(taskId);
    this.endLater(taskId);
    held
      .expectEnd(this.#options.stopMs)
      .catch((error) =>
        this.#context.log.error({ err: error, taskId }, 'An executor is kept running.'),
      );
  }

  /** Ends the executor of a task with all that it started. */
  async end(taskId: string): Promise<void> {
    await this.#held.get(taskId)?.stop(this.#options.stopMs);
  }

  /** Ends an executor that has been silent for too long, and waits until its end has been handled. */
  giveUp(held: HeldExecutor): Promise<void> {
    return this.#endAndSettle(held, this.#options.confirmStopMs);
  }

  async #endAndSettle(held: HeldExecutor, waitMs: number): Promise<void> {
    const settled = this.#settled.get(held.lease.task_id);
    await held.stop(waitMs);
    await settled;
  }

  /** Ends every executor: first with a stop in the log, which everyone sees; then by force. */
  async endAll(): Promise<void> {
    await Promise.all(this.all().map((held) => this.#askAndEnd(held)));
    this.#forgetTimers();
  }

  /** Lets every executor live on without this daemon. */
  releaseAll(): void {
    this.#released = true;
    for (const held of this.all()) held.release();
    this.#forgetTimers();
  }

  #endAfter(taskId: string): void {
    const timer = setTimeout(() => {
      if (this.#options.isReady(taskId)) this.#endAfter(taskId);
      else void this.end(taskId).catch((error) => this.#complain(error, taskId));
    }, this.#options.stopMs);
    this.#stopTimers.set(taskId, timer);
  }

  #complain(error: unknown, taskId: string): void {
    this.#context.log.error({ err: error, taskId }, 'Could not stop an executor.');
  }

  async #askAndEnd(held: HeldExecutor): Promise<void> {
    const { session_id, task_id: taskId } = held.lease;
    const reason = 'The daemon was stopped.';
    const asking = stopTask(this.#context.store, session_id, { taskId, reason });
    const receipt = await asking.catch(() => 'stopping');
    if (receipt === 'stopping') await raceTimer([held.ended], this.#options.stopMs);
    // Whatever could not be settled now is found by the next daemon.
    await this.#endAndSettle(held, this.#options.stopMs).catch((error) =>
      this.#complain(error, taskId),
    );
  }

  /** Reports on behalf of the executor the events that it could not report. */
  async #ended(lease: LeaseRow, how: string | undefined): Promise<void> {
    const { baton, store, log } = this.#context;
    const { spoolFolder } = this.#options;
    this.#forgetTimer(lease.task_id);
    try {
      const doubt = await takeLeftover(store, lease, { spoolFolder, log });
      const end = how === undefined ? '' : ` (${how})`;
      const words = `The executor ended before its task did${end}.`;
      await endLostTask({ store, registry: baton.registry }, lease, { words, doubt });
    } finally {
      this.#held.delete(lease.task_id);
      this.#settled.delete(lease.task_id);
      this.#options.onEnded(lease.executor_id);
    }
  }

  #forgetTimer(taskId: string): void {
    for (const timers of [this.#stopTimers, this.#confirmTimers]) {
      clearTimeout(timers.get(taskId));
      timers.delete(taskId);
    }
  }

  #forgetTimers(): void {
    for (const taskId of [...this.#stopTimers.keys()]) this.#forgetTimer(taskId);
  }
}
