import type { RemoteRun } from '@baton/client';
import { EXIT } from '../exit-codes.ts';
import { shortId } from './find-one.ts';

/** So long a program that was told to end waits for the daemon to hear of it. */
const HEARD_MS = 3000;
const ENDING = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * The first Ctrl-C asks the daemon to stop the task. A second one detaches immediately; a terminating signal detaches if
 * the daemon does not confirm soon.
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
  if (isStopHeard) return 'Detached. The daemon is stopping the task.';
  const command = `"baton stop ${shortId(runId)}"`;
  return `Detached. Could not reach the daemon to stop the task; stop it later with ${command}.`;
}
