import type { Role } from '@baton/client';

/** The roles, as people choose from them. */
export const ROLE_OPTIONS: readonly { value: Role; label: string; about: string }[] = [
  { value: 'viewer', label: 'Viewer', about: 'read-only' },
  { value: 'member', label: 'Member', about: 'can create tasks and respond to agents' },
  { value: 'owner', label: 'Owner', about: 'full access' },
];

/** The roles with what each may do in the same line. */
export const ROLES_IN_WORDS = ROLE_OPTIONS.map(({ value, label, about }) => ({
  value,
  label: `${label}: ${about}`,
}));
