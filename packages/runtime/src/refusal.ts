import type { AnsweredBy, RequestAnswer } from '@baton/protocol';
import type { PendingRequest } from './backend.ts';

/** A no to whatever the agent asked. */
export function refusal(pending: PendingRequest, reason: string, by: AnsweredBy): RequestAnswer {
  if (pending.kind === 'permission') return { decision: 'deny', reason, by };
  return { declined: true, reason, by };
}

/** Answers in the place of a person who is not there. */
export function nobodyToAsk(pending: PendingRequest): RequestAnswer {
  return refusal(pending, 'There is nobody to ask.', 'nobody');
}
