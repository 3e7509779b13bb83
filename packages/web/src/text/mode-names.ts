import type { PermissionMode } from '@baton/protocol';

/** The labels of the permission modes. */
export const MODE_NAMES: Readonly<Record<PermissionMode, string>> = {
  ask: 'Ask for everything',
  auto: 'Ask for risky actions',
  'allow-all': 'Bypass permissions',
};
