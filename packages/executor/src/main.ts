import { leaveOrphans } from '@baton/process';
import { type ExecuteOptions, executeTask } from './task/execute-task.ts';
import type { ExecutorPayload } from './task/payload.ts';

/** The exit code of a program that SIGINT ended. */
const INTERRUPTED = 130;

type ExecutorParts = Pick<ExecuteOptions, 'baton' | 'helper' | 'watch'>;

/** The time limit to stop the agent and report it; a machine that shuts down kills the executor soon after. */
const LAST_WORDS_MS = 5000;

/**
 * Carries out the task that a payload names. Ctrl-C of the person who started it stops the task. Any other signal means
 * that the machine or the service is shutting down: the agent is stopped, and the daemon pauses or interrupts the task
 * when it finds that this process is gone. A second signal ends this process at once.
 */
export async function executorMain(
  payload: ExecutorPayload,
  { baton, helper, watch }: ExecutorParts,
): Promise<void> {
  // The daemon kills the processes that dead executors left.
  leaveOrphans();
  const stop = new AbortController();
  const leave = new AbortController();
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // The agent ends with this process, and what was not reported stays on the disk for the next daemon.
      const exit = () => process.exit(INTERRUPTED);
      if (stop.signal.aborted || leave.signal.aborted) exit();
      setTimeout(exit, LAST_WORDS_MS).unref();
      const isPerson = watch !== undefined && signal === 'SIGINT';
      tell(isPerson ? 'Stopping. Press Ctrl-C again to force.' : 'Stopping the agent.');
      (isPerson ? stop : leave).abort(new Error(`The executor received ${signal}.`));
    });
  }
  // The starting program may be gone; that is no reason to fail.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  await executeTask({
    ...payload,
    baton,
    helper,
    signal: stop.signal,
    leave: leave.signal,
    tell,
    watch,
  });
}
