const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Returns a signal that is aborted when this program is asked to end, so that a script is stopped with its processes. */
export function stopOnSignals(): { signal: AbortSignal; abort(): void; end(): void } {
  const stop = new AbortController();
  const abort = () => stop.abort();
  for (const each of SIGNALS) process.on(each, abort);
  const end = () => {
    for (const each of SIGNALS) process.off(each, abort);
  };
  return { signal: stop.signal, abort, end };
}

/** Does what precedes a run, such as the setup of a worktree; returns `interrupted` if this program was asked to end. */
export async function unlessInterrupted<Result>(
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | 'interrupted'> {
  const stop = stopOnSignals();
  try {
    return await act(stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return 'interrupted';
    throw error;
  } finally {
    stop.end();
  }
}
