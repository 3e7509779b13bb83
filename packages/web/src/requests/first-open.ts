import { useEffect, useSyncExternalStore } from 'react';

/** The cards that wait for an answer on the page, in the order in which they came. */
const open = new Set<string>();
const listeners = new Set<() => void>();

/** Whether a card is the first that waits: keys answer that one. */
export function useIsFirstOpen(id: string): boolean {
  useEffect(() => {
    open.add(id);
    announce();
    return () => {
      open.delete(id);
      announce();
    };
  }, [id]);
  return useSyncExternalStore(subscribe, () => open.values().next().value === id);
}

function announce(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
