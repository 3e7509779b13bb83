import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { BatonError, type ErrorInfo, type LogEvent, withRetry } from '@baton/protocol';
import {
  type Claim,
  type Claimant,
  type LeaseRow,
  mayStartTask,
  outageOf,
  requeueTask,
  type SessionMoved,
  type TaskRow,
} from '@baton/store';
import { endTask } from '../commands/stop-task.ts';
import type { DaemonContext } from '../context.ts';
import { readSettings } from '../settings/read-settings.ts';
import { endLostTask } from './end-lost-task.ts';
import { equipmentFor } from './equipment.ts';
import { type HeldExecutor, heldChild, heldStranger } from './held-executor.ts';
import { HeldExecutors } from './held-executors.ts';
import { takeLeftover, tidySpool } from './leftover.ts';
import { lostLeases } from './lost-executors.ts';
import { type ReadyAgent, ReadyAgents } from './ready-agents.ts';
import { isShortage, Shortage } from './shortage.ts';
import { SilenceWatch } from './silence-watch.ts';
import { type ExecutorCommand, type StartedExecutor, startExecutor } from './start-executor.ts';

export type PoolContext = Pick<
  DaemonContext,
  'baton' | 'daemonId' | 'store' | 'taskTokens' | 'box' | 'log' | 'leaseMs'
>;

type PoolOptions = {
  /** The number of concurrent tasks, in addition to those that need input. */
  slots: number;
  command: ExecutorCommand;
  /** The address that executors report to. */
  url: string;
  spoolFolder: string;
  /** Time limit for an executor to stop its agent; then it is killed. */
  stopMs: number;
  /** Maximum time between confirmations of a stop; then the executor is killed. */
  confirmStopMs: number;
};

const START_TRIES = { attempts: 8, baseMs: 100, maxMs: 2000 };

/** Starts executors for tasks that are ready, and makes sure that each one ends. */
export class ExecutorPool {
  #context: PoolContext;
  #options: PoolOptions;
  #held: HeldExecutors;
  #ready: ReadyAgents;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #closed = false;
  #silence: SilenceWatch;
  #timer: NodeJS.Timeout;
  #onSession = (moved: SessionMoved) => this.#moved(moved);
  /** The lost executors whose tasks are being ended. */
  #givingUp = new Set<string>();
  #onAll = () => void this.#lookAround();
  #shortage = new Shortage(() => void this.wake());

  constructor(context: PoolContext, options: PoolOptions) {
    this.#context = context;
    this.#options = options;
    this.#ready = new ReadyAgents(context.store, () => void this.wake());
    this.#held = new HeldExecutors(context, {
      ...options,
      isReady: (taskId) => this.#ready.isReady(taskId),
      onEnded: (executorId) => {
        this.#ready.forget(executorId);
        void this.wake();
      },
    });
    const { wakeUps } = context.store;
    wakeUps.on('session', this.#onSession);
    wakeUps.on('all', this.#onAll);
    this.#silence = new SilenceWatch({ leaseMs: context.leaseMs });
    this.#timer = setInterval(() => void this.#tick(), context.leaseMs / 3);
  }

  /** Takes over the executors that this daemon had before it crashed, then starts queued tasks. */
  async begin(): Promise<void> {
    const { store, daemonId } = this.#context;
    for (const lease of await store.leases.ofDaemon(daemonId)) await this.#adopt(lease);
    await this.wake();
  }

  /** Starts queued tasks while there are free slots; resolves once the decision is made. */
  async wake(): Promise<void> {
    this.#lookAgain = true;
    this.#looking ??= this.#look();
    await this.#looking;
  }

  /**
   * Starts an executor for a task. If it cannot be started, the task fails, unless the machine is short of resources.
   */
  async spawn(claim: Claim): Promise<void> {
    const { store, log } = this.#context;
    const { lease } = claim;
    const started = await this.#start(claim);
    if (isShortage(started)) return this.#waitForResources(lease, started);
    if (started instanceof Error) {
      log.error({ err: started, taskId: lease.task_id }, 'Could not start an executor.');
      const { session_id, task_id } = lease;
      await endTask(store, session_id, task_id, { outcome: 'failed', error: startError(started) });
      return;
    }
    this.#held.add(heldChild(lease, started));
    // It may have been stopped before it was registered here.
    await this.#checkStop(lease.task_id);
  }

  /** Requeues a task whose executor could not start its agent because the machine is short of resources. */
  async giveBack(lease: LeaseRow, reason: string): Promise<void> {
    await this.#waitForResources(lease, new Error(reason));
  }

  async #waitForResources(lease: LeaseRow, error: unknown): Promise<void> {
    const { store, log } = this.#context;
    log.warn({ err: error, taskId: lease.task_id }, 'No task starts until the machine has room.');
    this.#shortage.begin(error);
    await requeueTask(store.log, lease, { hadExecutor: false, isGivenBack: true });
  }

  /** Reason why no task starts here now, although there may be a free slot. */
  get shortage(): string | undefined {
    return this.#shortage.reason;
  }

  /** Waits for the next task of the session on behalf of an executor whose agent is kept ready. */
  waitForTask: DaemonContext['waitForTask'] = async (claims, waitMs) => {
    const held = this.get(claims.executorId);
    if (this.#closed || !held?.equipment) return 'none';
    // It has its next task already, but the answer got lost.
    if (held.lease.task_id !== claims.taskId) return held.lease;
    return this.#ready.wait(claims, waitMs);
  };

  /** Ensures that a stopping task ends: its executor receives the stop, or is killed in time. */
  stop(taskId: string): void {
    this.#held.stopLater(taskId);
  }

  /** Called when an executor confirms that it is stopping its agent, which shows that it does not hang. */
  confirmStop(taskId: string): void {
    this.#held.confirmStop(taskId);
  }

  /** The executor of this daemon with an id, whatever its task is now. */
  get(executorId: string): HeldExecutor | undefined {
    return this.#held.ofExecutor(executorId);
  }

  /** Ends an executor that has not exited, with its process tree, and settles its task. */
  async cleanup(executorId: string): Promise<void> {
    const held = this.get(executorId);
    if (held) await this.#held.giveUp(held);
  }

  /** Starts no more tasks, and stops the executors of this daemon unless they are detached. */
  async close({ detach = false } = {}): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#shortage.close();
    await this.#looking;
    this.#ready.dismissAll();
    if (detach) this.#held.releaseAll();
    else await this.#held.endAll();
    const { wakeUps } = this.#context.store;
    wakeUps.off('session', this.#onSession);
    wakeUps.off('all', this.#onAll);
  }

  async #look(): Promise<void> {
    try {
      while (this.#lookAgain) {
        this.#lookAgain = false;
        await this.#startWaiting();
      }
    } catch (error) {
      // What could not be started now is looked at again with the next tick.
      this.#context.log.error({ err: error }, 'Could not start tasks.');
    } finally {
      // Synchronously: a later wake-up starts another scan.
      this.#looking = undefined;
    }
  }

  async #startWaiting(): Promise<void> {
    for (const agent of this.#closed ? [] : this.#ready.waiting()) await this.#giveNextTask(agent);
    while (!this.#closed && !this.shortage && (await this.#hasSlot())) {
      const claim = await this.#claim({ exceptSessions: this.#ready.sessions() });
      if (!claim) break;
      await this.spawn(claim);
    }
    await this.#makeRoom();
  }

  /** True if another task may start here: tasks that need input use no slot, up to a limit. */
  async #hasSlot(): Promise<boolean> {
    const { slots } = this.#options;
    if (slots === 0 || this.#held.size < slots) return slots > 0;
    const { store } = this.#context;
    const awaiting = await store.queue.awaitingInput(this.#held.taskIds());
    const { 'executors.max_awaiting_input': most } = await readSettings(store);
    return this.#held.size - Math.min(awaiting, most) < slots;
  }

  /** Starts an executor; retries while the database is unavailable, so that an outage does not fail the task. */
  #start(claim: Claim): Promise<StartedExecutor | Error> {
    const start = () =>
      startExecutor(this.#context, this.#options, claim).catch((error) =>
        error instanceof Error ? error : new Error(String(error)),
      );
    return withRetry(start, {
      ...START_TRIES,
      isTransient: (made) => outageOf(made) !== undefined,
    });
  }

  #claim(more: Partial<Claimant>): Promise<Claim | undefined> {
    const { store, daemonId, leaseMs } = this.#context;
    const claimant = { executorId: randomUUID(), daemonId, host: hostname(), leaseMs, ...more };
    return store.queue.claim(claimant);
  }

  /** Gives a ready agent the next task of its session, or lets it go when that is not for it. */
  async #giveNextTask(agent: ReadyAgent): Promise<void> {
    const task = await this.#ready.nextFor(agent);
    if (task === undefined) return;
    const held = this.#held.get(agent.taskId);
    const isFit = task !== 'another' && held?.equipment === (await this.#equipmentNow(task));
    if (!this.#ready.has(agent)) return;
    agent.hold();
    const { executorId } = agent;
    const claim = isFit ? await this.#claim({ executorId, taskId: task.task_id }) : undefined;
    if (!claim || !held) {
      this.#ready.dismiss(agent);
      return;
    }
    this.#held.renew(held, claim.lease);
    this.#ready.give(agent, claim.lease);
    await this.#checkStop(claim.lease.task_id);
  }

  /** Returns the current equipment hash; false if it cannot be determined, and starting a new executor reports why. */
  async #equipmentNow(task: TaskRow): Promise<string | false> {
    return equipmentFor(this.#context, task).then(
      ({ mark }) => mark,
      () => false,
    );
  }

  /** Releases the slot of the oldest ready agent if another task needs one. */
  async #makeRoom(): Promise<void> {
    const oldest = this.#ready.oldest();
    if (!oldest || (await this.#hasSlot())) return;
    const exceptSessions = this.#ready.sessions();
    if (await this.#context.store.queue.isWaiting({ exceptSessions })) this.#ready.dismiss(oldest);
  }

  async #adopt(lease: LeaseRow): Promise<void> {
    const { executors } = this.#context.store.records;
    const executor = await executors.get(lease.executor_id);
    // The daemon ended between the claim and the start of the executor.
    if (!executor) return this.#giveUp(lease);
    const held = heldStranger(lease, executor);
    if (!held) return;
    // A container gets another name with each start, and a laptop with each network.
    const { executor_id } = lease;
    if (executor.host !== hostname()) await executors.update({ executor_id }, { host: hostname() });
    this.#held.add(held);
    await this.#checkStop(lease.task_id);
  }

  #moved({ sessionId, events, mayStart }: SessionMoved): void {
    if (events) {
      for (const event of events) this.#hear(event);
      return;
    }
    // Another daemon has written: that may have been a stop.
    void this.#lookAround(sessionId, mayStart);
  }

  #hear(event: LogEvent): void {
    if (event.type === 'stop.requested') this.stop(event.taskId);
    if (event.type === 'run.completed') {
      this.#shortage.forget();
      this.#expectEnd(event.taskId);
    }
    if (mayStartTask(event)) void this.wake();
  }

  /** Checks for changes by other daemons. */
  async #lookAround(sessionId?: string, mayStart = true): Promise<void> {
    try {
      for (const { lease } of this.#held.all()) {
        if (sessionId === undefined || lease.session_id === sessionId) {
          await this.#checkStop(lease.task_id);
        }
      }
    } catch (error) {
      this.#context.log.warn({ err: error }, 'Could not check for stop requests.');
    }
    if (mayStart) await this.wake();
  }

  async #checkStop(taskId: string): Promise<void> {
    const task = await this.#context.store.records.tasks.get(taskId);
    if (task?.status === 'STOPPING') this.stop(taskId);
    if (task?.completed_at) this.#expectEnd(taskId);
  }

  /** Called when the task of an executor has ended: the executor then ends too, or asks for the next task. */
  #expectEnd(taskId: string): void {
    const held = this.#held.get(taskId);
    if (held?.keepsAgent && !this.#closed) {
      const { executor_id: executorId, session_id: sessionId } = held.lease;
      this.#ready.expect({ executorId, sessionId, taskId });
    }
    this.#held.expectEnd(taskId);
  }

  /** Ends the tasks whose executors are gone, or silent for too long. */
  async #tick(): Promise<void> {
    const { store, log, leaseMs, daemonId } = this.#context;
    this.#silence.look();
    try {
      // While nothing can be written, no heartbeat can be recorded either.
      await store.records.daemons.update({ daemon_id: daemonId }, { heartbeat_at: store.now() });
      for (const held of this.#held.all()) {
        if (!held.alive()) await held.expectEnd(0);
      }
      const isOwn = (taskId: string) => this.#held.has(taskId);
      const lost = await lostLeases(store, { leaseMs, silence: this.#silence, isOwn });
      const ended = await Promise.allSettled(lost.map((lease) => this.#giveUp(lease)));
      for (const each of ended) if (each.status === 'rejected') this.#complain(each.reason);
      await tidySpool(store, this.#options.spoolFolder, isOwn);
      await this.wake();
    } catch (error) {
      this.#silence.restart();
      log.warn({ err: error }, 'Could not check for lost executors.');
    }
  }

  /** Logs the failure, so that it does not hold up the other executors; rethrows if the database is unavailable. */
  #complain(error: unknown): void {
    if (outageOf(error)) throw error;
    this.#context.log.error({ err: error }, 'Could not release a lost executor.');
  }

  async #giveUp(lease: LeaseRow): Promise<void> {
    if (this.#held.has(lease.task_id)) return this.cleanup(lease.executor_id);
    // The next look around may come before this one is done.
    if (this.#givingUp.has(lease.executor_id)) return;
    this.#givingUp.add(lease.executor_id);
    const { baton, store, log } = this.#context;
    const { spoolFolder } = this.#options;
    try {
      const doubt = await takeLeftover(store, lease, { spoolFolder, log });
      const words = 'Executor lease expired (no heartbeat).';
      await endLostTask({ store, registry: baton.registry }, lease, { words, doubt });
    } finally {
      this.#givingUp.delete(lease.executor_id);
    }
  }
}

function startError(error: unknown): ErrorInfo {
  if (BatonError.is(error)) return error.toJSON();
  return new BatonError('internal', `Could not start the executor: ${error}`).toJSON();
}
