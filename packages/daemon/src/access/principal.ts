import { ROLES, type Role } from '@baton/protocol/wire';
import type { TaskClaims } from '../security/task-token.ts';

/** The caller of a method. */
export type Principal =
  | { kind: 'nobody' }
  | { kind: 'user'; userId: string; role: Role; tokenId: string }
  | { kind: 'executor'; claims: TaskClaims }
  /** An executor that still holds its lease, with a token that it can only exchange for a new one. */
  | { kind: 'expired executor'; claims: TaskClaims };

/** Callers that a method allows: a role includes all higher roles. */
export type Audience = 'anyone' | 'executor' | 'expired executor' | Role;

/** A caller without a token, and the daemon itself. */
export const NOBODY: Principal = { kind: 'nobody' };

/** True if the caller may call a method with these audiences. */
export function isFor(audiences: readonly Audience[], principal: Principal): boolean {
  return audiences.some((audience) => {
    if (audience === 'anyone') return true;
    if (audience === 'executor' || audience === 'expired executor') {
      return principal.kind === audience;
    }
    return principal.kind === 'user' && ROLES.indexOf(principal.role) >= ROLES.indexOf(audience);
  });
}

/** True for a user with the role of an owner. */
export function isOwner(principal: Principal): boolean {
  return isFor(['owner'], principal);
}

/** The lesser of two roles: a token never allows more than its user may do. */
export function lesserRole(a: Role, b: Role): Role {
  return ROLES.indexOf(a) < ROLES.indexOf(b) ? a : b;
}

/** The id of the calling user; null for an executor. */
export function userIdOf(principal: Principal): string | undefined {
  return principal.kind === 'user' ? principal.userId : undefined;
}
