/** How much an agent may do without asking; the meaning is the same for every backend. */
export const PERMISSION_MODES = ['ask', 'auto', 'allow-all'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];
