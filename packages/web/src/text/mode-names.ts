import type { PermissionMode } from '@baton/protocol';

/** What people call the permission modes. */
export const MODE_NAMES: Readonly<Record<PermissionMode, string>> = {
  ask: 'Ask first',
  auto: 'Ask for what is risky',
  'allow-all': 'Allow everything',
};
