import {
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useOpen } from './feed/open-session.tsx';

/** Distance from the start, in pixels, at which earlier entries are loaded. */
const EARLY = 1200;
/** Number of pages that are loaded to fill the view; pages of sub-agents do not fill it, because they are collapsed. */
const MOST = 3;

/** Loads earlier entries as the user scrolls near them, once the scroll position is restored. */
export function useEarlier(scroller: RefObject<HTMLElement | null>, isInPlace: boolean) {
  const { feed } = useOpen();
  const { pages, hasEarlier } = useSyncExternalStore(feed.subscribe, feed.state);
  const byItself = useRef(0);
  const last = useRef(0);
  const [isPaused, pause] = useState(false);
  const isNear = useCallback(() => (scroller.current?.scrollTop ?? EARLY) < EARLY, [scroller]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a page may leave room for another one
  useEffect(() => {
    if (!isInPlace) return;
    if (!isNear()) return pause(false);
    const isEnough = byItself.current >= MOST;
    pause(isEnough);
    if (isEnough) return;
    byItself.current += 1;
    void feed.loadEarlier();
  }, [feed, isNear, pages, isInPlace]);

  const onScroll = () => {
    const top = scroller.current?.scrollTop ?? 0;
    const isUp = top < last.current;
    last.current = top;
    if (!isNear()) pause(false);
    // Errors are retried only on request.
    if (isUp && isNear() && feed.state().earlierError === undefined) void feed.loadEarlier();
  };
  const loadMore = () => {
    byItself.current = 0;
    void feed.loadEarlier();
  };
  return { isPaused: isPaused && hasEarlier, onScroll, loadMore };
}
