import { type RefObject, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { PAUSE_MS } from './pause.ts';

/** Browsers tell that something came to a resting pointer late, or only when it moves again: this looks itself. */
const LOOK_MS = 100;

interface Watched {
  element: HTMLElement;
  wasThere: boolean;
  onCome: () => void;
}

const watched = new Set<Watched>();
let pointer: PointerEvent | undefined;
let looking: ReturnType<typeof setInterval> | undefined;
addEventListener('pointermove', follow, { capture: true });
addEventListener('pointerdown', follow, { capture: true });

/** Counts how often something came to the pointer, in place of the pointer to it. */
export function useComings(element: RefObject<HTMLElement | null>): number {
  const [comings, setComings] = useState(0);
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    // The click that follows at once must find it as it is then.
    const onCome = () => flushSync(() => setComings((before) => before + 1));
    return watch({ element: current, wasThere: current.contains(atPointer()), onCome });
  }, [element]);
  return comings;
}

function watch(one: Watched): () => void {
  watched.add(one);
  looking ??= setInterval(look, LOOK_MS);
  return () => {
    watched.delete(one);
    if (watched.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  };
}

/** The pointer has not moved since the last look: what is there now, and was not then, came to it. */
function look(): void {
  const at = atPointer();
  for (const one of watched) {
    const isThere = one.element.contains(at);
    const hasCome = isThere && !one.wasThere;
    one.wasThere = isThere;
    if (hasCome) one.onCome();
  }
}

function follow(event: PointerEvent): void {
  look();
  pointer = event;
  const at = atPointer();
  for (const one of watched) one.wasThere = one.element.contains(at);
}

/** What a click would reach: something may lie above a request, and be gone in the next moment. */
function atPointer(): Element | null {
  if (!pointer) return null;
  const { pointerType, timeStamp, clientX, clientY } = pointer;
  // Fingers are nowhere between two touches.
  if (pointerType !== 'mouse' && performance.now() - timeStamp > PAUSE_MS) return null;
  return document.elementFromPoint(clientX, clientY);
}
