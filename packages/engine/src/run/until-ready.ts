/** Waits until the agent may act, or the run is being stopped; rejects if the agent must not act at all. */
export async function untilReady(
  ready: Promise<void> | undefined,
  quit: AbortSignal,
): Promise<void> {
  if (!ready || quit.aborted) return;
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  quit.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([ready, stopped.promise]);
  } finally {
    quit.removeEventListener('abort', stop);
  }
}
