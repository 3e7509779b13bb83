import { type RefObject, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { PAUSE_MS } from './pause.ts';

let last: PointerEvent | undefined;
addEventListener('pointermove', note);
addEventListener('pointerdown', note);

/** Counts how often something came to the pointer, in place of the pointer to it. */
export function useComings(element: RefObject<HTMLElement | null>): number {
  const [comings, setComings] = useState(0);
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const onEnter = (event: PointerEvent) => {
      // The click that follows at once must find it as it is then.
      if (isMoved(current, event)) flushSync(() => setComings((before) => before + 1));
    };
    current.addEventListener('pointerenter', onEnter);
    return () => current.removeEventListener('pointerenter', onEnter);
  }, [element]);
  return comings;
}

/** Whether something else was where an element is now, when the pointer was last there. */
function isMoved(element: HTMLElement, { pointerType, timeStamp }: PointerEvent): boolean {
  if (!last) return false;
  // Fingers are nowhere between two touches.
  if (pointerType !== 'mouse' && timeStamp - last.timeStamp > PAUSE_MS) return false;
  if (last.target instanceof Node && element.contains(last.target)) return false;
  const { top, right, bottom, left } = element.getBoundingClientRect();
  const { clientX: x, clientY: y } = last;
  return x >= left && x <= right && y >= top && y <= bottom;
}

/** Enters come before the events of the pointer that they belong to, so that this is where it was before. */
function note(event: PointerEvent): void {
  last = event;
}
