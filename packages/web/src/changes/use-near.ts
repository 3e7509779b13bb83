import { type RefObject, useLayoutEffect, useState } from 'react';
import { scrollerOf } from '../design/scroller-of.ts';

/** An element that is away from the screen, and its last height, if it was near before. */
type Distance = { isNear: boolean; height: number | undefined };

/** Loads what the user sees next before it is on the screen. */
const MARGIN = '100% 0px';

/** Tells whether an element is on the screen, or at most the height of a screen away from it. */
export function useNear(place: RefObject<HTMLElement | null>): Distance {
  const [distance, setDistance] = useState<Distance>({ isNear: false, height: undefined });
  useLayoutEffect(() => {
    const { current } = place;
    if (!current) return;
    const onMove = (entries: readonly IntersectionObserverEntry[]) => {
      const entry = entries.at(-1);
      if (!entry) return;
      setDistance(({ isNear, height }) => ({
        isNear: entry.isIntersecting,
        height: isNear && !entry.isIntersecting ? entry.boundingClientRect.height : height,
      }));
    };
    const root = scrollerOf(current);
    const watch = new IntersectionObserver(onMove, { root, rootMargin: MARGIN });
    watch.observe(current);
    return () => watch.disconnect();
  }, [place]);
  return distance;
}
