import type { TaskClaims } from '../security/task-token.ts';

/** What users may do, from looking on to everything. */
export const ROLES = ['viewer', 'member', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Who asks. */
export type Principal =
  | { kind: 'nobody' }
  | { kind: 'user'; userId: string; role: Role; tokenId: string }
  | { kind: 'executor'; claims: TaskClaims }
  /** An executor that still holds its lease, with a token that it can only exchange for a new one. */
  | { kind: 'expired executor'; claims: TaskClaims };

/** Whom a method is for: a role means everybody who has at least that. */
export type Audience = 'anyone' | 'executor' | 'expired executor' | Role;

/** Somebody without a token, and the daemon itself. */
export const NOBODY: Principal = { kind: 'nobody' };

/** Whether a method that is for these is for whoever asks. */
export function isFor(audiences: readonly Audience[], principal: Principal): boolean {
  return audiences.some((audience) => {
    if (audience === 'anyone') return true;
    if (audience === 'executor' || audience === 'expired executor') {
      return principal.kind === audience;
    }
    return principal.kind === 'user' && ROLES.indexOf(principal.role) >= ROLES.indexOf(audience);
  });
}

/** The lesser of two roles: a token never allows more than its user may do. */
export function lesserRole(a: Role, b: Role): Role {
  return ROLES.indexOf(a) < ROLES.indexOf(b) ? a : b;
}

/** The id of the user who asks; nobody's when an executor does. */
export function userIdOf(principal: Principal): string | undefined {
  return principal.kind === 'user' ? principal.userId : undefined;
}
