import type { RemoteRun } from '@baton/client';
import { EXIT } from '../exit-codes.ts';
import { shortId } from './find-one.ts';

/** So long a program that was told to end waits for the daemon to hear of it. */
const HEARD_MS = 3000;
const ENDING = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Nobody has to wait for a daemon that does not answer: whoever asks twice leaves, and whoever ends this program leaves
 * when the daemon has not heard of it soon. The first Ctrl-C only asks the daemon to stop the task.
 */
export function leaveOnInterrupts(run: RemoteRun, tell: (line: string) => void): void {
  let asked = 0;
  const leave = () => {
    tell(farewell(run));
    process.exit(EXIT.interrupted);
  };
  const ask = () => {
    asked += 1;
    if (asked > 1) leave();
  };
  process.on('SIGINT', ask);
  for (const signal of ENDING) {
    process.on(signal, () => {
      ask();
      setTimeout(() => run.isStopHeard || leave(), HEARD_MS).unref();
    });
  }
}

function farewell({ isStopHeard, runId }: RemoteRun): string {
  if (isStopHeard) return 'Left. The daemon stops the task.';
  const command = `"baton stop ${shortId(runId)}"`;
  return `Left. The daemon could not be told to stop the task: it runs on until ${command}.`;
}
