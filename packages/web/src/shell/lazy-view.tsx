import { type ComponentType, lazy, type ReactNode, useEffect, useState } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { PartNotLoaded, ViewNotLoaded } from './not-loaded.tsx';

/** Preloading starts this long after the page, so it does not delay the first view. */
const SOON_MS = 1000;
const AHEAD_MS = 10_000;

/** A component whose code is loaded when it is first shown, or preloaded before that. */
export type LazyComponent<Props> = ComponentType<Props> & { load: () => Promise<void> };

const all: { load: () => Promise<void>; isSoon: boolean }[] = [];

/** A lazy view; `isSoon` preloads it first, for views that most people open next. */
export function lazyView(
  load: () => Promise<ComponentType>,
  { isSoon = false } = {},
): LazyComponent<object> {
  return lazyComponent(load, ViewNotLoaded, isSoon);
}

/** A lazy part of a view. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyComponent<Props> {
  return lazyComponent(load, PartNotLoaded, false);
}

function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  instead: () => ReactNode,
  isSoon: boolean,
): LazyComponent<Props> {
  let loaded: ComponentType<Props> | undefined;
  const loadIt = async () => {
    loaded = await load();
  };
  const Awaited = lazy<ComponentType<Props>>(async () => ({
    default: await load().catch(() => instead),
  }));
  all.push({ load: loadIt, isSoon });
  const Part = (props: Props) => {
    // React delays a suspended component by a third of a second; code that is already loaded skips that.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? Awaited);
    return <Shown {...props} />;
  };
  return Object.assign(Part, { load: loadIt });
}

/** Preloads all lazy components, so they are shown at once, also while the daemon is unreachable. */
export function usePreload(): void {
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
  // A loaded view may add its lazy parts to the end of the list.
  for (const each of all) {
    if (!isWanted(each)) continue;
    const isLoaded = await each.load().then(
      () => true,
      () => false,
    );
    // A browser does not retry a failed module: the others are loaded when they are needed.
    if (!isLoaded) return;
  }
}
