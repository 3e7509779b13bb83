import type { AgentRun } from '@baton/protocol';
import { safe } from '../view/style.ts';

const STOPPING = {
  SIGINT: 'Stopping. Press Ctrl-C again to force.',
  SIGTERM: 'Stopping.',
  SIGHUP: 'Stopping.',
} as const;

/** Stops a run on Ctrl-C and when the output cannot be written; a second Ctrl-C, or Ctrl-\, forces it. */
export function stopOnInterrupt(run: AgentRun, tell: (line: string) => void): () => void {
  let told = false;
  let isOver = false;
  const complain = (error: Error) => {
    // The run has ended, so a failed stop does not matter.
    if (!isOver) tell(safe(error.message));
  };
  const cancel = (reason: string) => void run.cancel(reason).catch(complain);
  const stop = (words: string) => {
    if (!told) tell(words);
    told = true;
    cancel('Interrupted.');
  };
  const handlers = new Map<NodeJS.Signals, () => void>();
  for (const [signal, words] of Object.entries(STOPPING)) {
    handlers.set(signal as NodeJS.Signals, () => stop(words));
  }
  handlers.set('SIGQUIT', () => {
    stop('Stopping now.');
    cancel('Interrupted.');
  });
  let gone = false;
  const outputFailed = () => {
    // Every further write fails too, but a second stop request would force it.
    if (!gone) cancel('Cannot write the output.');
    gone = true;
  };
  for (const [signal, handler] of handlers) process.on(signal, handler);
  process.stdout.on('error', outputFailed);
  return () => {
    isOver = true;
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}
