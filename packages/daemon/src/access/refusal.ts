import { BatonError } from '@baton/protocol';
import type { Principal } from './principal.ts';

/** Why somebody may not do something: nobody knows who it is, or it is known too well. */
export function refusal(principal: Principal): BatonError {
  return principal.kind === 'nobody'
    ? new BatonError('unauthenticated', 'Log in first, or give a token.')
    : new BatonError('forbidden', 'You may not do this.');
}
