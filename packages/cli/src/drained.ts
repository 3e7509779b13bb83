import type { Writable } from 'node:stream';

/** Waits until a stream takes more, is gone, or `enough` settles; what nobody reads would pile up in memory. */
export async function drained(stream: Writable, enough?: Promise<unknown>): Promise<void> {
  if (!stream.writableNeedDrain) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const goOn = () => resolve();
  for (const event of ['drain', 'error', 'close']) stream.once(event, goOn);
  void enough?.then(goOn);
  await promise;
  for (const event of ['drain', 'error', 'close']) stream.off(event, goOn);
}
