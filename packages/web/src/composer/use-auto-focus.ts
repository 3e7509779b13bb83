import { type RefObject, useEffect, useRef } from 'react';
import { takeFocus } from './take-focus.ts';

const USES = ['keydown', 'pointerdown'] as const;

/**
 * Focuses a field when `isOn` turns true, unless something else is in use. When it turns false, the field gives up the
 * focus if it was not used since, or is empty: keys then answer the request that arrived.
 */
export function useAutoFocus(field: RefObject<HTMLTextAreaElement | null>, isOn: boolean): void {
  const isFirst = useRef(true);
  useEffect(() => {
    const { current } = field;
    if (!isOn || !current) return;
    // An Enter that is pressed twice to answer a request must not send what was written before.
    const mayFocus = isFirst.current || current.value === '';
    isFirst.current = false;
    let isUsed = !mayFocus || !takeFocus(current);
    const use = () => {
      isUsed = true;
    };
    for (const type of USES) current.addEventListener(type, use, { once: true });
    return () => {
      for (const type of USES) current.removeEventListener(type, use);
      if (!isUsed || current.value === '') current.blur();
    };
  }, [field, isOn]);
}
