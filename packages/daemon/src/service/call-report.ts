import { BatonError } from '@baton/protocol';
import { outageOf } from '@baton/store';
import type { Logger } from 'pino';
import type { Principal } from '../access/principal.ts';

/** One call of a method, when it is over. */
export type CallReport = {
  requestId: string;
  service: string;
  method: string;
  /** `ok`, or the code of the error. */
  status: string;
  durationMs: number;
  principal: Principal;
  /** An internal error, not a mistake of the caller. */
  failure?: unknown;
};

/** The word for how a call ended. */
export function statusOf(error: unknown): string {
  const known = BatonError.is(error) ? error : outageOf(error);
  return known?.code ?? 'internal';
}

/** Writes a call into the log: who did what, never with what. */
export function logCall(log: Logger, report: CallReport): void {
  const { principal, failure, durationMs, ...same } = report;
  const fields = { ...same, durationMs: Math.round(durationMs), ...whoIs(principal) };
  if (failure === undefined) log.info(fields, 'call');
  else log.error({ ...fields, err: failure }, 'A call failed.');
}

function whoIs(principal: Principal): object {
  if (principal.kind === 'user') return { userId: principal.userId };
  return principal.kind === 'executor' ? { taskId: principal.claims.taskId } : {};
}
