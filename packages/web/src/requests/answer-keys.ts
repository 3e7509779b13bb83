import type { RefObject } from 'react';
import type { Shortcuts } from '../guard/key-guard.ts';
import { useCanAnswer, useShortcutGroup } from '../guard/use-key-guard.ts';

type KeyState = {
  /** True if keys are for this card: text that is typed outside of a field then answers nothing. */
  hasKeys: boolean;
  /** True if the card can be answered now: it is stable, no form is open in it, and no answer is being sent. */
  isFree: boolean;
  /** True if the keys focus a control, which Enter then presses. */
  passesEnter?: boolean;
};

/**
 * Lets keys answer a card while no text is typed and nothing is open over the view; returns whether they do now. A card
 * that is out of sight is scrolled into view instead.
 */
export function useAnswerKeys(
  { hasKeys, isFree, passesEnter = false }: KeyState,
  card: RefObject<HTMLElement | null>,
  keys: Shortcuts,
): boolean {
  const canAnswer = useCanAnswer();
  const show = () => {
    card.current?.scrollIntoView({ block: 'nearest' });
    card.current?.focus({ preventScroll: true });
  };
  const shown = Object.entries(keys).map(([key, act]) => {
    const answer = () => (card.current && isSeen(card.current) ? act() : show());
    return [key, answer] as const;
  });
  const shortcuts = isFree ? Object.fromEntries(shown) : {};
  useShortcutGroup(shortcuts, { isOn: hasKeys, answersRequest: true, passesEnter });
  return hasKeys && isFree && canAnswer;
}

/** True if at least half of a card, or half a viewport of it, is visible. */
function isSeen(card: HTMLElement): boolean {
  const { top, bottom, height } = card.getBoundingClientRect();
  const frame = card.closest('[role=log], main')?.getBoundingClientRect();
  if (!frame) return true;
  const seen = Math.min(bottom, frame.bottom) - Math.max(top, frame.top);
  return seen >= Math.min(height, frame.height) / 2;
}
