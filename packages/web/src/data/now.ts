import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  // It was not updated while no component used it.
  if (!timer) now = Date.now();
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

/** The time, once a second, for everything that shows how long something takes. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
