import { useEffect, useRef } from 'react';
import { isTyping } from '../shell/shortcuts.ts';

/** Lets keys do something while nobody is typing and no dialog is open. */
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
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (isChord || isTyping(event.target) || document.querySelector('[role=dialog]')) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOn]);
}
