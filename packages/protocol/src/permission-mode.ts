/** How much an agent may do without asking; the meaning is the same for every backend. */
export const PERMISSION_MODES = ['ask', 'auto', 'allow-all'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** Whether a mode lets an agent do more without asking than another one. The modes are in order, the strictest first. */
export function isWider(mode: PermissionMode, than: PermissionMode): boolean {
  return PERMISSION_MODES.indexOf(mode) > PERMISSION_MODES.indexOf(than);
}
