import { useSyncExternalStore } from 'react';
import { StoredChoice } from '../data/stored-choice.ts';
import { isSomethingOpen, isTyping } from '../design/keyboard-events.ts';

const choice = new StoredChoice('baton.single-keys');

/** True if single-key shortcuts are on; users of speech input, or who hit keys by accident, turn them off. */
function areSingleKeysOn(): boolean {
  return choice.get() !== 'off';
}

/** Turns single-key shortcuts on or off for this browser. */
export function chooseSingleKeys(on: boolean): void {
  choice.set(on ? undefined : 'off');
}

/** Subscribes a component to the setting for single-key shortcuts. */
export function useSingleKeys(): boolean {
  return useSyncExternalStore(choice.subscribe, areSingleKeysOn);
}

/** True if a key may trigger a shortcut of the view; characters only if single-key shortcuts are on. */
export function isForView(event: KeyboardEvent): boolean {
  if (event.key.length === 1 && !areSingleKeysOn()) return false;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  return !isTyping(event.target) && !isSomethingOpen();
}
