/** True if a dialog, a menu or a list is open, which then gets the keys. */
export function isSomethingOpen(): boolean {
  return document.querySelector('[role=dialog], [role=menu], [role=listbox]') !== null;
}

/** True if a key belongs to an input method that is composing a word; Safari only reports it by its key code. */
export function isComposing({
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === 229;
}

/** True if the user is typing text: keys are then characters. Checkboxes and radio buttons take none. */
export function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !/^(radio|checkbox)$/.test(target.type);
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
