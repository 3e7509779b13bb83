import { useCallback, useState } from 'react';

const CONTROLS = ':is(input, textarea, select, button):not(:disabled, [type=hidden])';

/** The first thing to fill in or to press in an element, also when it comes later than the element itself. */
export function useFirstControl() {
  const [first, setFirst] = useState<HTMLElement | null>(null);
  const watch = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const look = () => {
      const control = element.querySelector<HTMLElement>(CONTROLS);
      if (!control) return;
      setFirst(control);
      observer.disconnect();
    };
    const observer = new MutationObserver(look);
    observer.observe(element, { childList: true, subtree: true });
    look();
    return () => {
      observer.disconnect();
      setFirst(null);
    };
  }, []);
  return [first, watch] as const;
}
