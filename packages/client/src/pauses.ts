const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/** Pauses between attempts, each twice as long as the one before; any of some signals cuts them short. */
export class Pauses {
  #signal: AbortSignal;
  #nextMs = FIRST_PAUSE_MS;

  constructor(...signals: (AbortSignal | undefined)[]) {
    this.#signal = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  }

  /** Waits a little longer than the last time. */
  async next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#nextMs);
    this.#nextMs = Math.min(2 * this.#nextMs, LONGEST_PAUSE_MS);
    await untilAborted(promise, this.#signal);
    clearTimeout(timer);
  }

  /** Something went well: the next pause is short again. */
  reset(): void {
    this.#nextMs = FIRST_PAUSE_MS;
  }
}

/** What a promise gives; nothing once the signal is aborted. */
export async function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value | undefined> {
  if (!signal) return promise;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  promise.catch(() => {});
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
