import { useSyncExternalStore } from 'react';
import { StoredChoice } from '../data/stored-choice.ts';

const choice = new StoredChoice('baton.single-keys');

/** Whether single keys do something; who speaks to a computer, or hits keys by accident, turns them off. */
export function areSingleKeysOn(): boolean {
  return choice.get() !== 'off';
}

/** Turns single keys on or off for this browser. */
export function chooseSingleKeys(on: boolean): void {
  choice.set(on ? undefined : 'off');
}

/** Whether single keys do something, as it changes. */
export function useSingleKeys(): boolean {
  return useSyncExternalStore(choice.subscribe, areSingleKeysOn);
}
