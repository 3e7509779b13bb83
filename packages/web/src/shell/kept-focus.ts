import { useEffect } from 'react';

/** A place that takes the focus of what disappears in it; its value selects what in it has it then, or else all of it. */
const HOME = 'data-focus-home';
const OVER_THE_PAGE = '[role=dialog], [role=menu]';
const CHANGES = { childList: true, subtree: true, attributeFilter: ['disabled', 'inert'] };

/** Keeps the focus near when what has it goes away: browsers would lose it, and whoever uses keys would begin anew. */
export function useKeptFocus(): void {
  useEffect(() => {
    /** What has the focus and everything around it; of a dialog, what had the focus before is at the end of it. */
    let trail: Element[] = [];
    let onPage: Element[] = [];
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      const isOver = target.closest(OVER_THE_PAGE) !== null;
      if (!isOver) onPage = [...around(target)];
      trail = isOver ? [...around(target), ...onPage] : onPage;
    };
    const leave = () =>
      queueMicrotask(() => {
        // Somebody has left it themselves.
        if (isLost() && isThere(trail[0])) trail = [];
      });
    const isGone = () => isLost() && trail[0] !== undefined && !isThere(trail[0]);
    const mend = () => {
      if (!isGone()) return;
      const next = isThere(onPage[0]) ? onPage[0] : homeIn(trail);
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    };
    // The key that took it away would press what has the focus now.
    const observer = new MutationObserver(() => isGone() && setTimeout(mend));
    observer.observe(document.body, CHANGES);
    addEventListener('focusin', note);
    addEventListener('focusout', leave);
    return () => {
      observer.disconnect();
      removeEventListener('focusin', note);
      removeEventListener('focusout', leave);
    };
  }, []);
}

function* around(element: Element): Generator<Element> {
  for (let each: Element | null = element; each; each = each.parentElement) yield each;
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function isThere(element: Element | undefined): boolean {
  return element?.isConnected === true && !element.matches(':disabled, [inert], [inert] *');
}

function homeIn(trail: readonly Element[]): Element | undefined {
  for (const place of trail) {
    const within = place.getAttribute(HOME);
    if (!place.isConnected || within === null) continue;
    const home = within === '' ? place : place.querySelector(within);
    if (home) return home;
  }
  return undefined;
}
