import { useSyncExternalStore } from 'react';

export type DiffLook = 'unified' | 'split';

const KEY = 'baton.diff';
const listeners = new Set<() => void>();

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
  return localStorage.getItem(KEY) === 'split' ? 'split' : 'unified';
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
