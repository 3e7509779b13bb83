import {
  endProcessTree,
  isAlive,
  killLeftovers,
  type RememberedProcess,
  signalStep,
  stopProcess,
} from '@baton/process';
import type { ExecutorRow, LeaseRow } from '@baton/store';
import type { StartedExecutor } from './start-executor.ts';

/** Interval at which an executor of an earlier daemon is checked for being alive. */
const WATCH_MS = 1000;

/** An executor on this machine, started by this daemon or left behind by a crashed one. */
export type HeldExecutor = {
  readonly lease: LeaseRow;
  /** Resolves when its process tree is gone, with a description of its end if that is known. */
  readonly ended: Promise<string | undefined>;
  /** Hash of the equipment that it was started with; without one it cannot wait for further tasks. */
  readonly equipment: string | undefined;
  /** True if it asks for another task after its own has ended. */
  readonly keepsAgent: boolean;
  /** True until it has exited. */
  alive(): boolean;
  /** Asks it to stop its agent and to exit; kills its process tree after a time limit. */
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
