import { useEffect } from 'react';

/**
 * Attribute of an element that takes over the focus of removed descendants; its value selects the descendant to focus,
 * or else the element itself is focused.
 */
const HOME = 'data-focus-home';
const OVER_THE_PAGE = '[role=dialog], [role=menu]';
const CHANGES = { childList: true, subtree: true, attributeFilter: ['disabled', 'inert'] };

/** Moves the focus nearby when the focused element is removed: the browser would reset it to the page. */
export function useRestoreFocus(): void {
  useEffect(() => {
    /** The element that last had the focus on the page, with its ancestors; the same for dialogs and menus. */
    let onPage: Element[] = [];
    let over: Element[] = [];
    const last = () => over[0] ?? onPage[0];
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      const isOver = target.closest(OVER_THE_PAGE) !== null;
      over = isOver ? [...around(target)] : [];
      if (!isOver) onPage = [...around(target)];
    };
    const leave = () =>
      queueMicrotask(() => {
        if (!isLost() || !isThere(last())) return;
        // The user left it themselves.
        [onPage, over] = [[], []];
      });
    const isGone = () => isLost() && last() !== undefined && !isThere(last());
    const mend = () => {
      if (!isGone()) return;
      const next = homeIn(over) ?? (isThere(onPage[0]) ? onPage[0] : homeIn(onPage));
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
