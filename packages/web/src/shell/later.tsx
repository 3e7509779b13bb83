import { type ComponentType, lazy, useEffect } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { NotLoaded } from './not-loaded.tsx';

/** So long the page is left to what it shows first. */
const AHEAD_MS = 10_000;

const loads: (() => Promise<unknown>)[] = [];

/** A part of the page that is loaded when it is first shown, or before that when there is time. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  loads.push(load);
  return lazy<ComponentType<Props>>(async () => ({ default: await load().catch(() => NotLoaded) }));
}

/** Loads every part ahead, so that it can also be opened while the daemon is away. */
export function useLoadAhead(): void {
  const { isUp } = useDaemon();
  useEffect(() => {
    if (!isUp) return;
    const timer = setTimeout(async () => {
      // Parts that have parts add them to the end.
      for (const load of loads) {
        const isLoaded = await load().then(
          () => true,
          () => false,
        );
        // What a browser could not load it does not try again: the others may be lucky when they are needed.
        if (!isLoaded) return;
      }
    }, AHEAD_MS);
    return () => clearTimeout(timer);
  }, [isUp]);
}
