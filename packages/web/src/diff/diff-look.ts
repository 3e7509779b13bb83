import { useSyncExternalStore } from 'react';

export type DiffLook = 'unified' | 'split';

const KEY = 'baton.diff';
const listeners = new Set<() => void>();
/** Two columns of code fit only there. */
const isWide = matchMedia('(min-width: 900px)');

/** How this person likes to see changes. */
export function useDiffLook(): DiffLook {
  return useSyncExternalStore(subscribe, chosen);
}

/** Chooses it for this browser. */
export function chooseDiffLook(look: DiffLook): void {
  localStorage.setItem(KEY, look);
  for (const listener of listeners) listener();
}

function chosen(): DiffLook {
  return isWide.matches && localStorage.getItem(KEY) === 'split' ? 'split' : 'unified';
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  isWide.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    isWide.removeEventListener('change', listener);
  };
}
