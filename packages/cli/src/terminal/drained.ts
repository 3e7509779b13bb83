import type { Writable } from 'node:stream';

/** Waits until a stream drains, closes, or `enough` settles, so that unread output does not fill the memory. */
export async function drained(stream: Writable, enough?: Promise<unknown>): Promise<void> {
  if (!stream.writableNeedDrain) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const resume = () => resolve();
  for (const event of ['drain', 'error', 'close']) stream.once(event, resume);
  void enough?.then(resume);
  await promise;
  for (const event of ['drain', 'error', 'close']) stream.off(event, resume);
}
