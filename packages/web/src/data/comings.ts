import { type RefObject, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { PAUSE_MS } from './pause.ts';

/** Browsers tell that something came to a resting pointer late, or only when it moves again: this looks itself. */
const LOOK_MS = 100;

/** What can be pressed. */
const CONTROL = 'button, a';

interface Watched {
  element: HTMLElement;
  /** What of it would be pressed, when that was last looked at. */
  before: Element | undefined;
  onCome: () => void;
}

const watched = new Set<Watched>();
let pointer: PointerEvent | undefined;
let looking: ReturnType<typeof setInterval> | undefined;
const sizes = new ResizeObserver(lookNow);
addEventListener('scroll', lookNow, { capture: true, passive: true });
addEventListener('pointermove', follow, { capture: true });
addEventListener('pointerdown', follow, { capture: true });

/** Counts how often something to press in an element came to the pointer, in place of the pointer to it. */
export function useComings(element: RefObject<HTMLElement | null>): number {
  const [comings, setComings] = useState(0);
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const onCome = () => setComings((before) => before + 1);
    return watch({ element: current, before: within(current, atPointer()), onCome });
  }, [element]);
  return comings;
}

function watch(one: Watched): () => void {
  watched.add(one);
  sizes.observe(one.element);
  looking ??= setInterval(look, LOOK_MS);
  return () => {
    watched.delete(one);
    sizes.unobserve(one.element);
    if (watched.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  };
}

/** The pointer has not moved since the last look: what is there now, and was not then, came to it. */
function look(): void {
  const at = atPointer();
  for (const one of watched) {
    const now = within(one.element, at);
    const hasCome = now !== undefined && now !== one.before;
    one.before = now;
    if (hasCome) one.onCome();
  }
}

/** The click that follows at once must find it as it is then. */
function lookNow(): void {
  if (watched.size > 0) flushSync(look);
}

function follow(event: PointerEvent): void {
  lookNow();
  pointer = event;
  const at = watched.size > 0 ? atPointer() : undefined;
  for (const one of watched) one.before = within(one.element, at);
}

function within(element: HTMLElement, at: Element | undefined): Element | undefined {
  return at && element.contains(at) ? at : undefined;
}

/** What a click would press: something may lie above a request, and be gone in the next moment. */
function atPointer(): Element | undefined {
  if (!pointer) return undefined;
  const { pointerType, timeStamp, clientX, clientY } = pointer;
  // Fingers are nowhere between two touches.
  if (pointerType !== 'mouse' && performance.now() - timeStamp > PAUSE_MS) return undefined;
  return document.elementFromPoint(clientX, clientY)?.closest(CONTROL) ?? undefined;
}
