/** What the key that goes with others is called on the keyboards of this system; both work everywhere. */
export const MODIFIER = modifierOf(navigator.platform);

/** The name of that key on a system, as its browsers call that. */
export function modifierOf(platform: string): '⌘' | 'Ctrl' {
  return /^(Mac|iP)/.test(platform) ? '⌘' : 'Ctrl';
}
