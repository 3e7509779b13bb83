/** Permission modes, the strictest first. A mode means the same for every backend. */
export const PERMISSION_MODES = ['ask', 'auto', 'allow-all'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** True if a mode lets an agent do more without asking than another mode. */
export function isWider(mode: PermissionMode, than: PermissionMode): boolean {
  return PERMISSION_MODES.indexOf(mode) > PERMISSION_MODES.indexOf(than);
}
