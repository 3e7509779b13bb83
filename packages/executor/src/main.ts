import { leaveOrphans } from '@baton/runtime';
import { executeTask, type TaskWatch } from './execute-task.ts';
import type { ExecutorPayload } from './payload.ts';

/** What a shell calls the end of a program that was interrupted. */
const INTERRUPTED = 130;

/** So long it may take to stop the agent and to report that: a machine that shuts down does not wait for ever. */
const LAST_WORDS_MS = 5000;

/**
 * Carries out the task that a payload names. A signal stops the agent, which is still reported while a daemon hears it; a
 * second one ends this.
 */
export async function executorMain(payload: ExecutorPayload, watch?: TaskWatch): Promise<void> {
  // Its daemon looks after what dead executors left.
  leaveOrphans();
  const stop = new AbortController();
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // The agent ends with this process, and what was not reported stays on the disk for the next daemon.
      const leave = () => process.exit(INTERRUPTED);
      if (stop.signal.aborted) leave();
      setTimeout(leave, LAST_WORDS_MS).unref();
      tell('Stopping. Once more ends it at once.');
      stop.abort(new Error('The executor was told to end.'));
    });
  }
  // Whoever started this may be gone; that is no reason to fail.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  await executeTask({ ...payload, signal: stop.signal, tell, watch });
}
