import { type RefObject, useLayoutEffect, useState } from 'react';
import { PlaceGuard, type Point } from './place-guard.ts';

/** Browsers do not report that an element moved, only what usually moves it: changes inside of it, and scrolling. */
const LOOK_MS = 100;
/** The buttons in such an element, or the button itself, are guarded. */
const GUARDED = 'button:is([data-guarded], [data-guarded] *)';
const POINTER_EVENTS = ['pointermove', 'pointerdown'] as const;

let pointer: Point | undefined;
const looks = new Set<() => void>();

/** Guards look before the pointer moves on: what is at its old place now, and was not before, came to it. */
function follow({ clientX, clientY }: PointerEvent): void {
  for (const look of looks) look();
  pointer = { x: clientX, y: clientY };
}
for (const type of POINTER_EVENTS) addEventListener(type, follow, { capture: true });

/**
 * True once all guarded buttons of an area have been in their places for a while, for the same subject. A click on a
 * guarded button does nothing before that, nor does the second one of a double click: it was meant for what was there
 * before. Presses by key are not blocked here: those go where the focus is, whatever moves.
 */
export function useStable(area: RefObject<HTMLElement | null>, subject?: unknown): boolean {
  const [stableSubject, setStableSubject] = useState<{ subject: unknown }>();
  // Before the browser can deliver the next click.
  useLayoutEffect(() => {
    const { current } = area;
    if (!current) return;
    const guards = new WeakMap<Element, PlaceGuard>();
    const guardOf = (button: Element) => {
      const guard = guards.get(button) ?? new PlaceGuard();
      guards.set(button, guard);
      return guard;
    };
    const look = () => {
      const buttons = [current, ...current.querySelectorAll('button')];
      const guarded = buttons.filter((each) => each.matches(GUARDED));
      for (const each of guarded) guardOf(each).update(each.getBoundingClientRect(), pointer);
      return guarded.every((each) => guardOf(each).isStable());
    };
    const onClick = (event: MouseEvent) => {
      if (event.detail === 0) return;
      look();
      const button = event.target instanceof Element ? event.target.closest(GUARDED) : null;
      if (!button || (guardOf(button).isStable() && event.detail < 2)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    const show = () => {
      const isStable = look();
      setStableSubject((before) => (isStable ? (before ?? { subject }) : undefined));
    };
    const timer = setInterval(show, LOOK_MS);
    const changes = new MutationObserver(show);
    changes.observe(current, { childList: true, characterData: true, subtree: true });
    addEventListener('scroll', show, { capture: true, passive: true });
    look();
    looks.add(look);
    current.addEventListener('click', onClick, { capture: true });
    return () => {
      clearInterval(timer);
      changes.disconnect();
      removeEventListener('scroll', show, { capture: true });
      looks.delete(look);
      setStableSubject(undefined);
      current.removeEventListener('click', onClick, { capture: true });
    };
  }, [area, subject]);
  return stableSubject !== undefined && stableSubject.subject === subject;
}
