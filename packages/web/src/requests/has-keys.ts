import { useEffect, useSyncExternalStore } from 'react';
import { requestKey } from '../data/request-key.ts';
import { useSingleKeys } from '../guard/single-keys.ts';
import type { Asked } from './asked.ts';

/** The pending cards on the page, in order of arrival; each kind has its own keys. */
const open = { permission: new Set<string>(), question: new Set<string>() };
const listeners = new Set<() => void>();

/** True if keys answer a card: it is the first pending one of its kind, and single-key shortcuts are on. */
export function useHasKeys(asked: Asked): boolean {
  const areKeysOn = useSingleKeys();
  const cards = open[asked.kind];
  const id = requestKey(asked);
  useEffect(() => {
    cards.add(id);
    announce();
    return () => {
      cards.delete(id);
      announce();
    };
  }, [cards, id]);
  const isFirst = useSyncExternalStore(subscribe, () => cards.values().next().value === id);
  return isFirst && areKeysOn;
}

function announce(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
