import { areSingleKeysOn } from './single-keys.ts';

/** Whether a dialog, a menu or a list is open: keys are for that, and letters choose in it. */
export function isSomethingOpen(): boolean {
  return document.querySelector('[role=dialog], [role=menu], [role=listbox]') !== null;
}

/** Whether a key is free to do something with the whole view; characters are not where they are turned off. */
export function isForView(event: KeyboardEvent): boolean {
  if (event.key.length === 1 && !areSingleKeysOn()) return false;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  return !isTyping(event.target) && !isSomethingOpen();
}

/** Whether a key belongs to an input method that is still putting a word together; Safari says so only by its code. */
export function isComposing({
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === 229;
}

/** Whether text is being typed: then keys are letters. Checkboxes take none. */
export function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !/^(radio|checkbox)$/.test(target.type);
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
