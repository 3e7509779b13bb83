import { useSyncExternalStore } from 'react';
import { StoredChoice } from '../data/stored-choice.ts';

type DiffLayout = 'unified' | 'split';

const choice = new StoredChoice('baton.diff');
/** Two columns of code fit only there. */
const isWide = matchMedia('(min-width: 900px)');

/** The layout that this user prefers, where there is room for it. */
export function useDiffLayout(): DiffLayout {
  return useSyncExternalStore(subscribe, shown);
}

/** Chooses it for this browser. */
export function chooseDiffLayout(look: DiffLayout): void {
  choice.set(look);
}

function shown(): DiffLayout {
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
