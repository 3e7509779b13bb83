import { useSyncExternalStore } from 'react';
import { StoredChoice } from '../data/stored-choice.ts';

const choice = new StoredChoice('baton.ignore-space');

/** True if changes of white space are left out of diffs. */
export function useIgnoreSpace(): boolean {
  return useSyncExternalStore(choice.subscribe, () => choice.get() === 'yes');
}

/** Chooses it for this browser. */
export function chooseIgnoreSpace(isIgnored: boolean): void {
  choice.set(isIgnored ? 'yes' : undefined);
}
