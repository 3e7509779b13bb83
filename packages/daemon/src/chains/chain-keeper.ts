import { ChainEngine } from '@baton/orchestra';
import { isAlive, startTicksOf } from '@baton/process';
import { BatonError, foldChain } from '@baton/protocol';
import { defaultKind } from '@baton/workspaces';
import type { SharedContext } from '../context.ts';
import { DaemonHost } from './daemon-host.ts';

type KeeperContext = Pick<
  SharedContext,
  'baton' | 'store' | 'feed' | 'workspaces' | 'log' | 'leaseMs' | 'runsTasks' | 'startWaiting'
>;

/** Runs the chains of a daemon, and continues those whose daemon is gone. */
export class ChainKeeper {
  readonly engine: ChainEngine;
  #context: KeeperContext;
  #tick: NodeJS.Timeout | undefined;
  /** Runs that could not be continued: a user has to resume them. */
  #failed = new Set<string>();
  #looking: Promise<void> = Promise.resolve();

  constructor(context: KeeperContext) {
    this.#context = context;
    this.engine = new ChainEngine({
      store: context.store,
      host: new DaemonHost(context),
      startTicks: startTicksOf(process.pid),
      isAlive: ({ pid, startTicks = 0 }) => isAlive({ pid, startTicks }),
      approvals: 'wait',
      // Variables are inserted only where a chain runs without a daemon.
      env: {},
      defaultWorkspace: (folder) => defaultKind({ folder }),
      onFailure: (runId, error) => this.#complain(runId, error),
    });
  }

  /** Continues the chains that a daemon left when it ended, and looks for others from time to time. */
  async begin(): Promise<void> {
    await this.#look();
    this.#tick = setInterval(() => void this.#look(), this.#context.leaseMs);
  }

  /** Leaves all chains to the next daemon. */
  async close(): Promise<void> {
    clearInterval(this.#tick);
    await this.#looking;
    await this.engine.close();
  }

  #look(): Promise<void> {
    this.#looking = this.#looking
      .then(() => this.#resumeAll())
      .catch((error) => {
        this.#context.log.warn({ err: error }, 'Could not look for interrupted chains.');
      });
    return this.#looking;
  }

  async #resumeAll(): Promise<void> {
    const where = { status: ['running', 'awaiting_approval'] };
    const rows = await this.#context.store.records.chainRuns.find({ where });
    for (const row of rows) {
      const { run_id: runId } = row;
      if (this.engine.isOwned(row) || this.#failed.has(runId)) continue;
      // A daemon that was killed while it stopped a chain leaves that to the next one.
      const { stopRequested } = foldChain(await this.#context.store.chainRuns.read(runId));
      const going = stopRequested ? this.engine.stop(runId) : this.engine.resume(runId);
      await (going as Promise<unknown>).catch((error) => this.#complain(runId, error));
    }
  }

  #complain(runId: string, error: unknown): void {
    // A database that is away comes back.
    if (!BatonError.is(error) || !error.retryable) this.#failed.add(runId);
    this.#context.log.error({ err: error, chainRunId: runId }, 'A chain could not continue.');
  }
}
