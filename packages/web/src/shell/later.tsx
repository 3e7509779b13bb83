import { type ComponentType, lazy, useEffect, useState } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { NotLoaded } from './not-loaded.tsx';

/** So long the page is left to what it shows first. */
const SOON_MS = 1000;
const AHEAD_MS = 10_000;

/** A part of the page that is loaded when it is first shown, or before that when there is time. */
export type Later<Props> = ComponentType<Props> & { load: () => Promise<void> };

const parts: { load: () => Promise<void>; isSoon: boolean }[] = [];

/** Makes a part of the page that is loaded later; soon, if most people want it next. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { isSoon = false } = {},
): Later<Props> {
  let loaded: ComponentType<Props> | undefined;
  const loadIt = async () => {
    loaded = await load();
  };
  const Awaited = lazy<ComponentType<Props>>(async () => ({
    default: await load().catch(() => NotLoaded),
  }));
  parts.push({ load: loadIt, isSoon });
  const Part = (props: Props) => {
    // React lets whatever it had to wait for wait on for a third of a second; what is there need not.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? Awaited);
    return <Shown {...props} />;
  };
  return Object.assign(Part, { load: loadIt });
}

/** Loads every part ahead, so that it is shown at once, and also while the daemon is away. */
export function useLoadAhead(): void {
  const { isUp } = useDaemon();
  useEffect(() => {
    if (!isUp) return;
    const timers = [
      setTimeout(() => loadParts(({ isSoon }) => isSoon), SOON_MS),
      setTimeout(() => loadParts(() => true), AHEAD_MS),
    ];
    return () => timers.forEach(clearTimeout);
  }, [isUp]);
}

async function loadParts(isWanted: (part: { isSoon: boolean }) => boolean): Promise<void> {
  // Parts that have parts add them to the end.
  for (const part of parts) {
    if (!isWanted(part)) continue;
    const isLoaded = await part.load().then(
      () => true,
      () => false,
    );
    // What a browser could not load it does not try again: the others may be lucky when they are needed.
    if (!isLoaded) return;
  }
}
