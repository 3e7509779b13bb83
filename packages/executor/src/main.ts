import { BatonError } from '@baton/protocol';
import { executeTask } from './execute-task.ts';
import type { ExecutorPayload } from './payload.ts';

/** Carries out the task that a payload names, and gives the exit code. */
export async function executorMain(payload: ExecutorPayload): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => stop.abort());
  }
  // Whoever started this may be gone; that is no reason to fail.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  try {
    await executeTask({ ...payload, signal: stop.signal });
    return 0;
  } catch (error) {
    const words = BatonError.is(error) ? `${error.code}: ${error.message}` : String(error);
    process.stderr.write(`${words}\n`);
    return 1;
  }
}
