import { type RefObject, useEffect, useRef } from 'react';
import { useRested } from '../data/rested.ts';
import { isForView } from '../shell/keys.ts';

type KeyState = {
  /** Whether keys are for this card at all: from then on the pause counts. */
  hasKeys: boolean;
  /** Whether an answer may be given, and nothing of the card is open or on its way, as a form or an answer. */
  isFree: boolean;
};

/**
 * Lets keys answer a card while nobody is typing and nothing is open over the view; tells whether they do already. A
 * card that nobody sees is shown by them instead.
 */
export function useAnswerKeys(
  { hasKeys, isFree }: KeyState,
  card: RefObject<HTMLElement | null>,
  keys: Readonly<Record<string, () => void>>,
): boolean {
  const latest = useRef(keys);
  latest.current = keys;
  const isReady = useRested(hasKeys) && hasKeys && isFree;
  useEffect(() => {
    if (!isReady) return;
    let isAfterG = false;
    const onKey = (event: KeyboardEvent) => {
      // Behind a g, letters lead to other views.
      const isChord = isAfterG;
      isAfterG = event.key === 'g';
      if (isChord || event.repeat || !isForView(event) || isForPrompt(event.target)) return;
      const act = latest.current[event.key];
      if (!act || !card.current) return;
      event.preventDefault();
      if (isSeen(card.current)) return act();
      card.current.scrollIntoView({ block: 'nearest' });
      card.current.focus({ preventScroll: true });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isReady, card]);
  return isReady;
}

/** Whoever has just removed a file or stopped a task goes on writing there: that is no answer. */
function isForPrompt(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('[data-for-prompt]');
}

/** Whether at least half of a card, or half a view of it, can be seen. */
function isSeen(card: HTMLElement): boolean {
  const { top, bottom, height } = card.getBoundingClientRect();
  const frame = card.closest('[role=log], main')?.getBoundingClientRect();
  if (!frame) return true;
  const seen = Math.min(bottom, frame.bottom) - Math.max(top, frame.top);
  return seen >= Math.min(height, frame.height) / 2;
}
