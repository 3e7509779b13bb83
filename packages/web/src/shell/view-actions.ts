import { useEffect, useSyncExternalStore } from 'react';
import type { IconName } from '../design/icon.tsx';

/** An action in a menu or in the command palette. */
export type ViewAction = {
  id: string;
  label: string;
  /** Object of the action. */
  about?: string;
  icon: IconName;
  act: () => void;
};

const NONE: readonly ViewAction[] = [];
let offered = NONE;
const listeners = new Set<() => void>();

/** Adds the actions of the current view to the command palette. */
export function useOfferActions(actions: readonly ViewAction[]): void {
  useEffect(() => offer(actions), [actions]);
  useEffect(() => () => offer(NONE), []);
}

/** The actions of the current view. */
export function useOfferedActions(): readonly ViewAction[] {
  return useSyncExternalStore(subscribe, () => offered);
}

function offer(actions: readonly ViewAction[]): void {
  offered = actions;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
