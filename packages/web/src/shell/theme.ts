import { useSyncExternalStore } from 'react';
import { StoredChoice } from '../data/stored-choice.ts';
import type { IconName } from '../design/icon.tsx';

export type Theme = 'system' | 'light' | 'dark';

/** The themes that can be chosen. */
export const THEMES: readonly { theme: Theme; label: string; icon: IconName }[] = [
  { theme: 'system', label: 'System theme', icon: 'gauge' },
  { theme: 'light', label: 'Light theme', icon: 'sun' },
  { theme: 'dark', label: 'Dark theme', icon: 'moon' },
];

const choice = new StoredChoice('baton.theme');
const isDark = matchMedia('(prefers-color-scheme: dark)');
isDark.addEventListener('change', applyTheme);
choice.subscribe(applyTheme);

/** The theme that was chosen. */
function chosenTheme(): Theme {
  const kept = choice.get();
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Shows the page in the theme that was chosen, or in that of the system. */
export function applyTheme(): void {
  const chosen = chosenTheme();
  const shown = chosen === 'system' ? (isDark.matches ? 'dark' : 'light') : chosen;
  document.documentElement.dataset.theme = shown;
}

/** Chooses a theme for this browser. */
export function chooseTheme(theme: Theme): void {
  choice.set(theme === 'system' ? undefined : theme);
}

/** The chosen theme, as it changes. */
export function useTheme(): Theme {
  return useSyncExternalStore(choice.subscribe, chosenTheme);
}
