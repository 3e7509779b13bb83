import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Where somebody writes in a field, and a way to put them elsewhere once its new text is there. */
export function useCaret(field: RefObject<HTMLTextAreaElement | null>) {
  const [caret, setCaret] = useState(0);
  const wanted = useRef<number>(undefined);
  // Not a moment later: whoever types on would be put back.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    field.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = undefined;
  });
  const moveTo = (place: number) => {
    wanted.current = place;
    setCaret(place);
  };
  return { caret, setCaret, moveTo };
}
