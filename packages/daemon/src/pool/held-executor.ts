import {
  endProcessTree,
  isAlive,
  killLeftovers,
  type RememberedProcess,
  signalStep,
  stopProcess,
} from '@baton/runtime/internal';
import type { ExecutorRow, LeaseRow } from '@baton/store';
import type { StartedExecutor } from './start-executor.ts';

/** So often it is looked whether an executor of an earlier daemon still runs. */
const WATCH_MS = 1000;

/** An executor on this machine: one that this daemon started, or one that a crashed daemon left to it. */
export type HeldExecutor = {
  readonly lease: LeaseRow;
  /** Settles when it is gone with all that it started; tells how it ended, where that is known. */
  readonly ended: Promise<string | undefined>;
  /** The mark of what it was started with; only with one may it wait for further tasks. */
  readonly equipment: string | undefined;
  /** Whether it asks for another task when its own has ended. */
  readonly keepsAgent: boolean;
  /** Whether it has not exited yet. */
  alive(): boolean;
  /** Asks it to stop its agent and to end; after a time it is killed, with all that it started. */
  stop(waitMs: number): Promise<void>;
  /** Ends it after a grace period. */
  expectEnd(waitMs: number): Promise<void>;
  /** Lets it live on without this daemon. */
  release(): void;
};

/** Holds an executor that this daemon started. */
export function heldChild(
  lease: LeaseRow,
  { process, equipment, keepsAgent }: StartedExecutor,
): HeldExecutor {
  const ended = process.exited.then(async ({ code, signal }) => {
    await killLeftovers(process);
    return signal ?? `exit code ${code}`;
  });
  return {
    lease,
    ended,
    equipment,
    keepsAgent,
    alive: () => process.alive(),
    async stop(waitMs) {
      await stopProcess({ process, steps: [signalStep(process, 'SIGTERM', waitMs)] });
      await ended;
    },
    async expectEnd() {},
    release: () => process.release(),
  };
}

/** Holds an executor that was started by an earlier daemon, if it can be known for certain. */
export function heldStranger(lease: LeaseRow, executor: ExecutorRow): HeldExecutor | undefined {
  const family = rememberedProcess(executor);
  if (!family) return undefined;
  const { promise: ended, resolve } = Promise.withResolvers<undefined>();
  // The end of a process that is not our child comes without an event.
  const watch = setInterval(() => {
    if (!isAlive(family)) void finish();
  }, WATCH_MS);
  const finish = async (how: Parameters<typeof endProcessTree>[1] = {}) => {
    clearInterval(watch);
    await endProcessTree(family, how);
    resolve(undefined);
  };
  return {
    lease,
    ended,
    equipment: undefined,
    keepsAgent: false,
    alive: () => isAlive(family),
    stop: (waitMs) => finish({ signal: 'SIGTERM', waitMs }),
    expectEnd: (waitMs) => finish({ waitMs }),
    release: () => clearInterval(watch),
  };
}

/** The process of an executor; undefined without its start time, because its pid may have been reused. */
export function rememberedProcess({
  pid,
  start_ticks: startTicks,
  executor_id: runId,
}: ExecutorRow): RememberedProcess | undefined {
  return pid === null || startTicks === null ? undefined : { pid, startTicks, runId };
}
