import { useSyncExternalStore } from 'react';
import { StoredChoice } from '../data/stored-choice.ts';

export type DiffLook = 'unified' | 'split';

const choice = new StoredChoice('baton.diff');
/** Two columns of code fit only there. */
const isWide = matchMedia('(min-width: 900px)');

/** How this person likes to see changes, where there is room for it. */
export function useDiffLook(): DiffLook {
  return useSyncExternalStore(subscribe, shown);
}

/** Chooses it for this browser. */
export function chooseDiffLook(look: DiffLook): void {
  choice.set(look);
}

function shown(): DiffLook {
  return isWide.matches && choice.get() === 'split' ? 'split' : 'unified';
}

function subscribe(listener: () => void): () => void {
  const stop = choice.subscribe(listener);
  isWide.addEventListener('change', listener);
  return () => {
    stop();
    isWide.removeEventListener('change', listener);
  };
}
