import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** So near to the end counts as the end. */
const NEAR = 24;

/** Keeps whoever is at the end there, and everybody else where they are; whoever seeks their place is not at the end. */
export function useEnd(scroller: RefObject<HTMLElement | null>, isFound: boolean) {
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
  /** Somebody goes elsewhere, and must not be taken back. */
  const leave = useCallback(() => {
    isAtEnd.current = false;
  }, []);
  const isReadAtEnd = useCallback(() => isAtEnd.current, []);
  useEffect(() => {
    const observer = new ResizeObserver(onResize);
    // A prompt that grows leaves less room for the list.
    if (scroller.current) observer.observe(scroller.current);
    // The line that tells what the agent does stands below the list, and comes when it likes.
    if (content.current) observer.observe(content.current);
    return () => observer.disconnect();
  }, [scroller, onResize]);
  return { content, isAway, isReadAtEnd, toEnd, leave, onScroll, onResize };
}
