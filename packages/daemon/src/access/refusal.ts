import { BatonError } from '@baton/protocol';
import type { Principal } from './principal.ts';

/**
 * Returns the error for a rejected caller: it is unknown, its token has expired, or its role does not allow the call.
 */
export function refusal(principal: Principal): BatonError {
  if (principal.kind === 'expired executor') {
    return new BatonError('unauthenticated', 'The task token has expired.', {
      hint: 'Exchange it for a new one with executors.renewToken.',
    });
  }
  return principal.kind === 'nobody'
    ? new BatonError('unauthenticated', 'Not authenticated.')
    : new BatonError('forbidden', 'You do not have permission to do this.');
}
