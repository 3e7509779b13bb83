import type { AnsweredBy, RequestAnswer } from '@baton/protocol/values';
import type { PendingRequest } from '../definition/backend.ts';

/** The answer that denies a permission or declines a question. */
export function denial(pending: PendingRequest, reason: string, by: AnsweredBy): RequestAnswer {
  if (pending.kind === 'permission') return { decision: 'deny', reason, by };
  return { declined: true, reason, by };
}

/** Denies a request of an unattended run. */
export function denyUnattended(pending: PendingRequest): RequestAnswer {
  return denial(pending, 'No one to ask.', 'nobody');
}
