import type { Role } from '@baton/client';

/** The roles, as people choose from them. */
export const ROLE_OPTIONS: readonly { value: Role; label: string; about: string }[] = [
  { value: 'viewer', label: 'Viewer', about: 'sees everything, changes nothing' },
  { value: 'member', label: 'Member', about: 'gives tasks and answers agents' },
  { value: 'owner', label: 'Owner', about: 'may do everything' },
];

/** The roles with what each may do in the same line. */
export const ROLES_IN_WORDS = ROLE_OPTIONS.map(({ value, label, about }) => ({
  value,
  label: `${label}: ${about}`,
}));
