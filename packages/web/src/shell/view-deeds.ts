import { useEffect, useSyncExternalStore } from 'react';
import type { IconName } from '../design/icon.tsx';

/** Something that can be done, in a menu or in the palette. */
export type Deed = {
  id: string;
  label: string;
  /** To what it is done. */
  about?: string;
  icon: IconName;
  act: () => void;
};

const NONE: readonly Deed[] = [];
let offered = NONE;
const listeners = new Set<() => void>();

/** Lets the palette do what the view that is shown can do. */
export function useOfferDeeds(deeds: readonly Deed[]): void {
  useEffect(() => offer(deeds), [deeds]);
  useEffect(() => () => offer(NONE), []);
}

/** What the view that is shown can do. */
export function useOfferedDeeds(): readonly Deed[] {
  return useSyncExternalStore(subscribe, () => offered);
}

function offer(deeds: readonly Deed[]): void {
  offered = deeds;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
