import {
  applyChainEvent,
  BatonError,
  type ChainDraft,
  type ChainEvent,
  type ChainState,
  emptyChainState,
} from '@baton/protocol';
import type { ChainOwner, ChainRunRow, Store } from '@baton/store';
import type { Chain } from '../chain.ts';
import { Detached } from './run-step.ts';

/** Interval at which the owner of a run sends a heartbeat and reads answers and stops from other processes. */
const HEARTBEAT_MS = 1000;
/** An owner on another machine that has been silent for this long is gone. */
const OWNER_LOST_MS = 30_000;

type OwnedRunOptions = {
  store: Store;
  owner: ChainOwner;
  /** True if the process of another owner on this machine is running. */
  isAlive(owner: ChainOwner): boolean;
  onEvent?: ((event: ChainEvent) => void) | undefined;
};

/** A chain run that this process owns: its state, folded from the stored events, and the only place that appends to it. */
export class OwnedRun {
  readonly runId: string;
  readonly chain: Chain;
  readonly inputs: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The user who started it. */
  readonly by: string | undefined;
  readonly state: ChainState = emptyChainState();
  /** Aborted when the run must end: by a stop, a timeout, or because another process has taken it over. */
  readonly signal: AbortSignal;
  #stop = new AbortController();
  #options: OwnedRunOptions;
  #seen = 0;
  #isTaken = false;
  #syncing: Promise<void> = Promise.resolve();
  #waiting = new Set<() => void>();
  #heartbeat: NodeJS.Timeout | undefined;
  #onChain = ({ runId }: { runId: string }) => {
    // What cannot be read now is read with the next heartbeat.
    if (runId === this.runId) void this.sync().catch(() => {});
  };

  private constructor(row: ChainRunRow, options: OwnedRunOptions) {
    this.runId = row.run_id;
    this.chain = JSON.parse(row.definition) as Chain;
    this.inputs = JSON.parse(row.inputs) as Record<string, string>;
    this.cwd = row.cwd;
    this.by = row.created_by ?? undefined;
    this.signal = this.#stop.signal;
    this.#options = options;
  }

  /** Takes a run that no living process owns, and reads its state. */
  static async take(runId: string, options: OwnedRunOptions): Promise<OwnedRun> {
    const { store, owner } = options;
    let holder: ChainOwner | undefined;
    const isOwner = await store.chainRuns.claim(runId, owner, (current, heartbeatAt) => {
      holder = current;
      return current === undefined || isGone(current, heartbeatAt, options);
    });
    if (!isOwner) throw alreadyRunning(runId, holder ?? owner);
    const row = await store.records.chainRuns.get(runId);
    if (!row) throw new BatonError('not_found', `Chain run "${runId}" not found.`);
    const run = new OwnedRun(row, options);
    await run.sync();
    run.#isTaken = true;
    store.wakeUps.on('chain', run.#onChain);
    run.#heartbeat = setInterval(() => void run.#beat(), HEARTBEAT_MS);
    return run;
  }

  /** Stores events; when it settles they are part of the state. */
  async append(...drafts: ChainDraft[]): Promise<void> {
    if (this.signal.reason instanceof Detached) throw this.signal.reason;
    const { store, owner } = this.#options;
    await store.chainRuns.append(this.runId, drafts, owner);
    await this.sync();
  }

  /** Applies the events stored since the last call, by this process or by others. */
  sync(): Promise<void> {
    this.#syncing = this.#syncing.catch(() => {}).then(() => this.#readOn());
    return this.#syncing;
  }

  /** Settles when the condition holds, or when the run must end. */
  async until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    while (!condition() && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = () => resolve();
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
      await promise;
      this.#waiting.delete(wake);
      signal.removeEventListener('abort', wake);
    }
  }

  abort(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** Releases the run; changes that are not stored are lost. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    const { store, owner } = this.#options;
    store.wakeUps.off('chain', this.#onChain);
    await this.#syncing.catch(() => {});
    await store.chainRuns.release(this.runId, owner.ownerId);
  }

  async #readOn(): Promise<void> {
    const events = await this.#options.store.chainRuns.read(this.runId, this.#seen);
    for (const event of events) {
      applyChainEvent(this.state, event);
      this.#seen = event.seq;
      this.#options.onEvent?.(event);
    }
    // A stop of an earlier attempt does not end this one.
    if (this.#isTaken && this.state.stopRequested) {
      this.abort(new BatonError('interrupted', 'The chain was stopped.'));
    }
    if (events.length > 0) for (const wake of this.#waiting) wake();
  }

  async #beat(): Promise<void> {
    try {
      const { store, owner } = this.#options;
      const isOwner = await store.chainRuns.heartbeat(this.runId, owner.ownerId);
      // Another process has taken the run over, with its tasks.
      if (!isOwner) this.abort(new Detached());
      await this.sync();
    } catch {
      // The database may be back for the next heartbeat; an append would report the failure.
    }
  }
}

export function alreadyRunning(runId: string, { pid, host }: ChainOwner): BatonError {
  return new BatonError('conflict', `Chain run "${runId}" is already running.`, {
    hint: `Process ${pid} on ${host} runs it. Stop it with "baton chain stop".`,
  });
}

/** True if the owner of a run, which is not active here, can no longer run it. */
export function isGone(
  owner: ChainOwner,
  heartbeatAt: number,
  { store, owner: { ownerId, host }, isAlive }: Omit<OwnedRunOptions, 'onEvent'>,
): boolean {
  // This process gave it up without being able to store that.
  if (owner.ownerId === ownerId) return true;
  if (owner.host === host) return !isAlive(owner);
  return store.now() - heartbeatAt > OWNER_LOST_MS;
}
