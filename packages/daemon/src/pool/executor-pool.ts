import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { BatonError, type LogEvent } from '@baton/protocol';
import { AgentProcess, killLeftovers, signalStep, stopProcess } from '@baton/runtime';
import type { Claim, LeaseRow, SessionMoved } from '@baton/store';
import { endTask } from '../commands/stop-task.ts';
import type { DaemonContext } from '../context.ts';
import { executorEnvironment } from './executor-environment.ts';
import { takeLeftover } from './leftover.ts';
import { lostLeases } from './lost-executors.ts';

/** How a program is started that carries out a task. */
export type ExecutorCommand = { file: string; args: readonly string[] };

export type PoolContext = Pick<
  DaemonContext,
  'daemonId' | 'store' | 'taskTokens' | 'log' | 'leaseMs'
>;

export type PoolOptions = {
  /** So many tasks run here at the same time. */
  slots: number;
  command: ExecutorCommand;
  /** The address that executors report to. */
  url: string;
  spoolFolder: string;
  /** How long an executor may take to stop its agent before it is killed. */
  stopMs: number;
};

type Running = {
  lease: LeaseRow;
  process: AgentProcess;
  ended: Promise<void>;
  stopTimer?: NodeJS.Timeout;
};

/** Starts executors for the tasks whose turn has come, and sees to it that each one ends. */
export class ExecutorPool {
  #context: PoolContext;
  #options: PoolOptions;
  #running = new Map<string, Running>();
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #closed = false;
  /** Until then silence says nothing: executors had nobody to talk to. */
  #patientUntil: number;
  #timer: NodeJS.Timeout;
  #onSession = (moved: SessionMoved) => this.#moved(moved);
  #onAll = () => void this.wake();

  constructor(context: PoolContext, options: PoolOptions) {
    this.#context = context;
    this.#options = options;
    const { wakeUps } = context.store;
    wakeUps.on('session', this.#onSession);
    wakeUps.on('all', this.#onAll);
    this.#patientUntil = this.#aLeaseFromNow();
    this.#timer = setInterval(() => void this.#tick(), context.leaseMs / 3);
  }

  /** Starts what waits, as far as there is room; settles when that is decided. */
  async wake(): Promise<void> {
    this.#lookAgain = true;
    this.#looking ??= this.#look()
      // What could not be started now is looked at again with the next tick.
      .catch((error) => this.#context.log.error({ err: error }, 'Tasks could not be started.'))
      .finally(() => {
        this.#looking = undefined;
      });
    await this.#looking;
  }

  /** Stops what runs here and starts nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    const { wakeUps } = this.#context.store;
    wakeUps.off('session', this.#onSession);
    wakeUps.off('all', this.#onAll);
    await this.#looking;
    const running = [...this.#running.values()];
    await Promise.all(running.map((each) => this.#end(each)));
  }

  async #look(): Promise<void> {
    while (this.#lookAgain) {
      this.#lookAgain = false;
      while (!this.#closed && this.#running.size < this.#options.slots) {
        const claim = await this.#claim();
        if (!claim) break;
        await this.#spawn(claim);
      }
    }
  }

  #claim(): Promise<Claim | undefined> {
    const { store, daemonId, leaseMs } = this.#context;
    const claimant = { executorId: randomUUID(), daemonId, host: hostname(), leaseMs };
    return store.queue.claim(claimant);
  }

  async #spawn({ task, lease }: Claim): Promise<void> {
    const { store, taskTokens, log } = this.#context;
    const { command, url, spoolFolder } = this.#options;
    const token = await taskTokens.sign({
      sessionId: lease.session_id,
      taskId: lease.task_id,
      executorId: lease.executor_id,
      fence: lease.fence,
      userId: task.created_by ?? undefined,
    });
    const note = (line: string) => log.info({ taskId: lease.task_id, line }, 'executor');
    let process: AgentProcess;
    try {
      process = await AgentProcess.spawn({
        ...command,
        cwd: spoolFolder,
        env: executorEnvironment(globalThis.process.env),
        runId: lease.executor_id,
        stdin: 'pipe',
        onLine: note,
        onStderrLine: note,
      });
    } catch (error) {
      const info = BatonError.is(error)
        ? error.toJSON()
        : new BatonError('internal', `The executor could not be started: ${error}`).toJSON();
      log.error({ err: error, taskId: lease.task_id }, 'An executor could not be started.');
      await endTask(store, lease.session_id, lease.task_id, { outcome: 'failed', error: info });
      return;
    }
    process.write(JSON.stringify({ daemonUrl: url, token, spoolFolder }));
    process.endStdin();
    await this.#remember(lease, process);
  }

  async #remember(lease: LeaseRow, process: AgentProcess): Promise<void> {
    const { store, log } = this.#context;
    const ended = process.exited.then(() => this.#finished(lease, process));
    this.#running.set(lease.task_id, { lease, process, ended });
    ended.catch((error) => log.error({ err: error }, 'The end of an executor went wrong.'));
    const now = store.now();
    await store.records.executors.put({
      executor_id: lease.executor_id,
      task_id: lease.task_id,
      session_id: lease.session_id,
      daemon_id: lease.daemon_id,
      host: hostname(),
      pid: process.pid,
      start_ticks: process.startTicks ?? null,
      started_at: now,
      heartbeat_at: now,
      progress_at: now,
      ended_at: null,
      spool_folder: this.#options.spoolFolder,
    });
    // Somebody may have stopped it before it was here to be stopped.
    const task = await store.records.tasks.get(lease.task_id);
    if (task?.status === 'STOPPING') this.#escalateLater(lease.task_id);
  }

  /** Whatever the executor could not say any more is said for it, and nothing that it started stays. */
  async #finished(lease: LeaseRow, process: AgentProcess): Promise<void> {
    const { store } = this.#context;
    clearTimeout(this.#running.get(lease.task_id)?.stopTimer);
    try {
      await killLeftovers(process);
      await takeLeftover(store, lease, this.#options.spoolFolder);
      const task = await store.records.tasks.get(lease.task_id);
      const wasStopped = task?.status === 'STOPPING';
      const { code, signal } = await process.exited;
      const error = new BatonError(
        'interrupted',
        `The executor ended before its task did (${signal ?? `exit code ${code}`}).`,
      ).toJSON();
      await endTask(
        store,
        lease.session_id,
        lease.task_id,
        wasStopped ? { outcome: 'cancelled' } : { outcome: 'failed', error },
      );
      const { executor_id } = lease;
      await store.records.executors.update({ executor_id }, { ended_at: store.now() });
    } finally {
      this.#running.delete(lease.task_id);
      void this.wake();
    }
  }

  #moved({ events }: SessionMoved): void {
    if (!events) {
      void this.wake();
      return;
    }
    for (const event of events) this.#hear(event);
  }

  #hear(event: LogEvent): void {
    if (event.type === 'stop.requested') this.#escalateLater(event.taskId);
    if (event.type === 'prompt.queued' || event.type === 'run.completed') void this.wake();
  }

  /** The executor hears of a stop by itself; one that does not stop in time is killed. */
  #escalateLater(taskId: string): void {
    const running = this.#running.get(taskId);
    if (!running || running.stopTimer) return;
    running.stopTimer = setTimeout(() => {
      this.#end(running).catch((error) => {
        this.#context.log.error({ err: error, taskId }, 'An executor could not be stopped.');
      });
    }, this.#options.stopMs);
  }

  async #end({ process, ended }: Running): Promise<void> {
    await stopProcess({ process, steps: [signalStep(process, 'SIGTERM', this.#options.stopMs)] });
    await ended;
  }

  /** Ends the tasks whose executors are silent for too long. */
  async #tick(): Promise<void> {
    const { store, log, leaseMs } = this.#context;
    try {
      const isPatient = store.now() < this.#patientUntil;
      const isOwn = (taskId: string) => this.#running.has(taskId);
      const lost = await lostLeases(store, { leaseMs, isPatient, isOwn });
      const ended = await Promise.allSettled(lost.map((lease) => this.#giveUp(lease)));
      for (const result of ended) if (result.status === 'rejected') throw result.reason;
      await this.wake();
    } catch (error) {
      this.#patientUntil = this.#aLeaseFromNow();
      log.warn({ err: error }, 'Looking for lost executors went wrong.');
    }
  }

  #aLeaseFromNow(): number {
    return this.#context.store.now() + this.#context.leaseMs;
  }

  async #giveUp(lease: LeaseRow): Promise<void> {
    const running = this.#running.get(lease.task_id);
    if (running) return this.#end(running);
    const { store } = this.#context;
    await takeLeftover(store, lease, this.#options.spoolFolder);
    const error = new BatonError('interrupted', 'The executor has not been heard of for too long.');
    await endTask(store, lease.session_id, lease.task_id, {
      outcome: 'failed',
      error: error.toJSON(),
    });
    const { executor_id } = lease;
    await store.records.executors.update({ executor_id }, { ended_at: store.now() });
  }
}
