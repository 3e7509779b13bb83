import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'baton.theme';
const listeners = new Set<() => void>();
const isDark = matchMedia('(prefers-color-scheme: dark)');
isDark.addEventListener('change', applyTheme);

/** The theme that was chosen. */
function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Shows the page in the theme that was chosen, or in that of the system. */
export function applyTheme(): void {
  const chosen = chosenTheme();
  const shown = chosen === 'system' ? (isDark.matches ? 'dark' : 'light') : chosen;
  document.documentElement.dataset.theme = shown;
  for (const listener of listeners) listener();
}

/** Chooses a theme for this browser. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme();
}

/** The chosen theme, as it changes. */
export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, chosenTheme);
}
