import { BatonError } from '@baton/protocol';
import type { Principal } from './principal.ts';

/** Refuses what only owners may do, and says why it is theirs. */
export function checkOwner(principal: Principal, why: string): void {
  if (principal.kind === 'user' && principal.role === 'owner') return;
  throw new BatonError('forbidden', `${why} Only owners can do this.`);
}
