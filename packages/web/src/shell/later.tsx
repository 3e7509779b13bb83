import { type ComponentType, lazy, type ReactNode, useEffect, useState } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { PartNotLoaded, ViewNotLoaded } from './not-loaded.tsx';

/** So long the page is left to what it shows first. */
const SOON_MS = 1000;
const AHEAD_MS = 10_000;

/** Something of the page that is loaded when it is first shown, or before that when there is time. */
export type Later<Props> = ComponentType<Props> & { load: () => Promise<void> };

const all: { load: () => Promise<void>; isSoon: boolean }[] = [];

/** A view that is loaded later; soon, if most people want it next. */
export function laterView(
  load: () => Promise<ComponentType>,
  { isSoon = false } = {},
): Later<object> {
  return later(load, ViewNotLoaded, isSoon);
}

/** The same for a part of a view. */
export function laterPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Later<Props> {
  return later(load, PartNotLoaded, false);
}

function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  instead: () => ReactNode,
  isSoon: boolean,
): Later<Props> {
  let loaded: ComponentType<Props> | undefined;
  const loadIt = async () => {
    loaded = await load();
  };
  const Awaited = lazy<ComponentType<Props>>(async () => ({
    default: await load().catch(() => instead),
  }));
  all.push({ load: loadIt, isSoon });
  const Part = (props: Props) => {
    // React lets whatever it had to wait for wait on for a third of a second; what is there need not.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? Awaited);
    return <Shown {...props} />;
  };
  return Object.assign(Part, { load: loadIt });
}

/** Loads everything ahead, so that it is shown at once, and also while the daemon is away. */
export function useLoadAhead(): void {
  const { isUp } = useDaemon();
  useEffect(() => {
    if (!isUp) return;
    const timers = [
      setTimeout(() => loadThose(({ isSoon }) => isSoon), SOON_MS),
      setTimeout(() => loadThose(() => true), AHEAD_MS),
    ];
    return () => timers.forEach(clearTimeout);
  }, [isUp]);
}

async function loadThose(isWanted: (each: { isSoon: boolean }) => boolean): Promise<void> {
  // Views that have parts add them to the end.
  for (const each of all) {
    if (!isWanted(each)) continue;
    const isLoaded = await each.load().then(
      () => true,
      () => false,
    );
    // What a browser could not load it does not try again: the others may be lucky when they are needed.
    if (!isLoaded) return;
  }
}
