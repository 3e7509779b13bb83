import { useEffect, useRef } from 'react';
import { isForView } from '../shell/keys.ts';

/** Lets keys do something while nobody is typing and nothing is open over the view. */
export function useAnswerKeys(isOn: boolean, keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (!isOn) return;
    let isAfterG = false;
    const onKey = (event: KeyboardEvent) => {
      // Behind a g, letters lead to other views.
      const isChord = isAfterG;
      isAfterG = event.key === 'g';
      if (isChord || event.repeat || !isForView(event)) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOn]);
}
