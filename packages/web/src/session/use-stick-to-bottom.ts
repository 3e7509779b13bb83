import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** A scroll position this near to the end counts as the end, in pixels. */
const NEAR = 24;

/**
 * Keeps a transcript scrolled to its end while the reader is there, and in place otherwise. Not while a saved position
 * is restored.
 */
export function useStickToBottom(scroller: RefObject<HTMLElement | null>, isFound: boolean) {
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(isFound);
  const last = useRef(0);
  const [isAway, setAway] = useState(!isFound);
  const toEnd = useCallback(() => {
    isAtEnd.current = true;
    setAway(false);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, [scroller]);
  const onResize = useCallback(() => {
    if (isAtEnd.current) toEnd();
  }, [toEnd]);
  const onScroll = useCallback(() => {
    const { current } = scroller;
    if (!current) return;
    const { scrollTop, scrollHeight, clientHeight } = current;
    const isNear = scrollTop + clientHeight >= scrollHeight - NEAR;
    // Text that grows moves the end away from the reader; only the reader goes up.
    if (isNear) isAtEnd.current = true;
    else if (scrollTop < last.current - 1) isAtEnd.current = false;
    last.current = scrollTop;
    setAway(!isAtEnd.current);
  }, [scroller]);
  useLayoutEffect(() => {
    // What was unfolded is folded again: the place may be the end now.
    if (isFound) onScroll();
  }, [isFound, onScroll]);
  /** The user navigates elsewhere, and must not be scrolled back. */
  const leave = useCallback(() => {
    isAtEnd.current = false;
  }, []);
  const isReadAtEnd = useCallback(() => isAtEnd.current, []);
  useEffect(() => {
    const observer = new ResizeObserver(onResize);
    // A prompt that grows leaves less room for the list.
    if (scroller.current) observer.observe(scroller.current);
    // The line with the agent's activity is below the list, and appears at any time.
    if (content.current) observer.observe(content.current);
    return () => observer.disconnect();
  }, [scroller, onResize]);
  return { content, isAway, isReadAtEnd, toEnd, leave, onScroll, onResize };
}
