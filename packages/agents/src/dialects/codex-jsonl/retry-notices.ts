import type { DialectOut, EventDraft } from '@baton/engine/definition/dialect';
import { type ErrorInfo, errorInfo } from '@baton/protocol/values';
import { codexError, LABEL } from './errors.ts';

/**
 * Codex waits for a network without end. From one of these notices to the next it makes all its requests again and
 * then pauses 5 s, 10 s, 20 s and so on, so that the fourth comes after about 45 s.
 */
const NETWORK_TRIES = 4;
const NO_NETWORK = /waiting for network/;

/** A retry as Codex tells it. */
export type Retry = {
  message: string;
  /** Its own kind of error, where it gives one. */
  info?: unknown;
  place?: { turnId?: string | undefined; parentId?: string | undefined } | undefined;
};

/** Reports the retries of Codex, and gives up where it never would. */
export class RetryNotices {
  #out: Pick<DialectOut, 'emit' | 'giveUp'>;
  #networkTries = 0;

  constructor(out: Pick<DialectOut, 'emit' | 'giveUp'>) {
    this.#out = out;
  }

  /** The model has answered, or another turn begins. */
  reset(): void {
    this.#networkTries = 0;
  }

  report({ message, info, place }: Retry): void {
    const error = codexError(message, info);
    this.#out.emit(retryNotice(message, error, { info, place }));
    if (!NO_NETWORK.test(message)) return this.reset();
    this.#networkTries += 1;
    if (this.#networkTries < NETWORK_TRIES) return;
    const words = `${LABEL} could not reach its provider after ${NETWORK_TRIES} attempts. ${message}`;
    this.#out.giveUp?.(errorInfo('network_unreachable', words));
  }
}

function retryNotice(
  message: string,
  { code }: ErrorInfo,
  { info, place }: Pick<Retry, 'info' | 'place'>,
): EventDraft {
  // It keeps the time that the provider asked for to itself.
  const until = `${LABEL} is waiting before the next attempt, for a time set by the provider.`;
  return {
    type: 'notice',
    level: 'warning',
    code: 'retry',
    message: code === 'rate_limited' ? `${message} ${until}` : message,
    data: { code, ...(info === undefined ? {} : { codexErrorInfo: info }) },
    ...place,
  };
}
