import { longTimer } from '@baton/protocol/values';

/** Waits for the first of some promises, a timeout, or an abort; returns whether a promise came first. */
export async function raceTimer(
  promises: readonly Promise<unknown>[],
  milliseconds: number,
  abort?: AbortSignal,
): Promise<boolean> {
  const expired = Promise.withResolvers<false>();
  const giveUp = () => expired.resolve(false);
  const timer = longTimer(giveUp, milliseconds);
  abort?.addEventListener('abort', giveUp, { once: true });
  if (abort?.aborted) giveUp();
  const first = await Promise.race([
    ...promises.map((promise) => promise.then(() => true)),
    expired.promise,
  ]);
  clearTimeout(timer);
  abort?.removeEventListener('abort', giveUp);
  return first;
}
