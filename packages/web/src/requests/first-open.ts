import { useEffect, useSyncExternalStore } from 'react';
import { cardKey } from './answer-draft.ts';
import type { Asked } from './asked.ts';

/** The cards that wait for an answer on the page, in the order in which they came; each kind has keys of its own. */
const open = { permission: new Set<string>(), question: new Set<string>() };
const listeners = new Set<() => void>();

/** Whether a card is the first of its kind that waits: keys answer that one. */
export function useIsFirstOpen(asked: Asked): boolean {
  const cards = open[asked.kind];
  const id = cardKey(asked);
  useEffect(() => {
    cards.add(id);
    announce();
    return () => {
      cards.delete(id);
      announce();
    };
  }, [cards, id]);
  return useSyncExternalStore(subscribe, () => cards.values().next().value === id);
}

function announce(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
