import { BatonError } from '@baton/protocol';
import { Pauses } from './pauses.ts';

/**
 * Asks again while what goes wrong may pass by itself; only for what may be asked twice. The number of the attempt, from
 * 0 on, tells whether an earlier one may have arrived. Aborting the signal ends it with what went wrong last.
 */
export async function patiently<Result>(
  ask: (attempt: number) => Promise<Result>,
  ended: AbortSignal,
): Promise<Result> {
  const pauses = new Pauses(ended);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask(attempt);
    } catch (error) {
      if (!BatonError.is(error) || !error.retryable || ended.aborted) throw error;
      await pauses.next();
    }
  }
}
