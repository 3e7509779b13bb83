import { useEffect, useRef, useSyncExternalStore } from 'react';
import { isComposing } from '../design/keyboard-events.ts';
import { KeyGuard, type ShortcutGroup, type Shortcuts } from './key-guard.ts';
import { isForView } from './single-keys.ts';

const MODIFIERS = ['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock'];

/** The guard of the page; all single-key shortcuts go through it. */
export const keyGuard = new KeyGuard();

/** Feeds the guard with every key and pointer press of the page. */
export function useKeyGuard(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (pressKey(event)) event.preventDefault();
    };
    const onPointer = () => keyGuard.cancel();
    addEventListener('keydown', onKey, { capture: true });
    addEventListener('pointerdown', onPointer, { capture: true });
    return () => {
      removeEventListener('keydown', onKey, { capture: true });
      removeEventListener('pointerdown', onPointer, { capture: true });
      keyGuard.cancel();
    };
  }, []);
}

/** Adds shortcuts while the component is mounted and `isOn`. */
export function useShortcutGroup(
  shortcuts: Shortcuts,
  { isOn = true, ...kind }: Omit<ShortcutGroup, 'shortcuts'> & { isOn?: boolean } = {},
): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const { answersRequest = false, passesEnter = false } = kind;
  useEffect(() => {
    if (!isOn) return;
    return keyGuard.add({ shortcuts: () => latest.current, answersRequest, passesEnter });
  }, [isOn, answersRequest, passesEnter]);
}

/** True if enough time has passed since the last answer for a key to answer the next request. */
export function useCanAnswer(): boolean {
  return useSyncExternalStore(keyGuard.subscribe, keyGuard.canAnswer);
}

function pressKey(event: KeyboardEvent): boolean {
  const { key, repeat, ctrlKey, metaKey, altKey } = event;
  if (MODIFIERS.includes(key)) return false;
  const isPlain = !ctrlKey && !metaKey && !altKey && !isComposing(event);
  if (isPlain && key.length === 1) {
    if (!repeat && isForView(event)) {
      const isHandled = keyGuard.pressCharacter(key);
      if (isHandled) leaveControls();
      return isHandled;
    }
    const isText = keyGuard.noteCharacter();
    return isText && !repeat && key === ' ' && isDialogButton(event.target);
  }
  if (isPlain && key === 'Enter' && isForView(event)) return keyGuard.pressEnter(repeat);
  keyGuard.cancel();
  return false;
}

function isDialogButton(target: EventTarget | null): boolean {
  return target instanceof HTMLButtonElement && target.closest('[role=dialog]') !== null;
}

/** Moves the focus from a control of a request to the request, so that Enter after typed text does not press it. */
function leaveControls(): void {
  document.activeElement?.closest<HTMLElement>('[data-request]')?.focus({ preventScroll: true });
}
