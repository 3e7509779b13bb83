import type { AgentRun } from '@baton/runtime';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Stops a run on Ctrl-C and when the reader of the output goes away; a second Ctrl-C forces it. */
export function stopOnInterrupt(run: AgentRun, tell: (line: string) => void): () => void {
  let asked = 0;
  const interrupt = () => {
    asked += 1;
    if (asked === 1) tell('Stopping. Press Ctrl-C again to force it.');
    void run.cancel('Interrupted.');
  };
  let gone = false;
  const readerGone = () => {
    // Every further write fails too, but a second request to stop would be one to force it.
    if (!gone) void run.cancel('The reader of the output went away.');
    gone = true;
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  process.stdout.on('error', readerGone);
  return () => {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  };
}
