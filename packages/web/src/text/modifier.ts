/** Label of the modifier key on this system; both keys work everywhere. */
export const MODIFIER = modifierOf(navigator.platform);

/** Returns the label for a value of `navigator.platform`. */
export function modifierOf(platform: string): '⌘' | 'Ctrl' {
  return /^(Mac|iP)/.test(platform) ? '⌘' : 'Ctrl';
}
