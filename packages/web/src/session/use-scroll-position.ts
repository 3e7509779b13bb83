import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { useOpen } from './feed/open-session.tsx';
import {
  rowOfScrollPosition,
  type ScrollPosition,
  savedScrollPosition,
  saveScrollPosition,
} from './feed/scroll-position.ts';
import type { SessionFeed } from './feed/session-feed.ts';

/** Row heights are known after they were drawn: the position is corrected until it is stable, at most this many frames. */
const CALM_FRAMES = 2;
const MOST_FRAMES = 30;

type Refs = {
  scroller: RefObject<HTMLElement | null>;
  list: RefObject<VirtualizerHandle | null>;
};

/** Saves the scroll position of a transcript and restores it when the reader comes back; a pending request is shown first. */
export function useScrollPosition({ scroller, list }: Refs) {
  const { feed } = useOpen();
  const { sessionId } = feed;
  const [isFound, setFound] = useState(
    () => isAsked(feed) || savedScrollPosition(sessionId) === undefined,
  );
  const isSeeking = useRef(!isFound);

  useLayoutEffect(() => {
    const position = savedScrollPosition(sessionId);
    if (!isSeeking.current || !position) return;
    let [frame, frames, calm] = [0, 0, 0];
    const seek = () => {
      const index = rowOfScrollPosition(feed.state().rows, position);
      const [start, size] = [list.current?.getItemOffset(index), list.current?.getItemSize(index)];
      // A row that is not drawn yet may seem too short; past its end, the list would take it for one that was read.
      const isKnown = (size ?? 0) > position.above;
      const top = (start ?? 0) + (isKnown ? position.above : 0);
      const isThere = Math.abs((scroller.current?.scrollTop ?? top) - top) < 1;
      if (!isThere) scroller.current?.scrollTo({ top });
      calm = isKnown && isThere ? calm + 1 : 0;
      frames += 1;
      if (calm < CALM_FRAMES && frames < MOST_FRAMES) {
        frame = requestAnimationFrame(seek);
        return;
      }
      isSeeking.current = false;
      setFound(true);
    };
    seek();
    return () => cancelAnimationFrame(frame);
  }, [feed, sessionId, scroller, list]);

  useLayoutEffect(
    () => () => {
      // The reader left before the position was restored: the old one stays valid.
      if (isSeeking.current) return;
      saveScrollPosition(sessionId, feed.isReadAtEnd() ? undefined : placeIn(feed, scroller, list));
    },
    [feed, sessionId, scroller, list],
  );
  return { isFound, isSeeking };
}

function isAsked(feed: SessionFeed): boolean {
  return feed
    .entries()
    .some((entry) => (entry.kind === 'permission' || entry.kind === 'question') && entry.open);
}

function placeIn(
  feed: SessionFeed,
  { current: scroller }: Refs['scroller'],
  { current: list }: Refs['list'],
): ScrollPosition | undefined {
  if (!scroller || !list) return undefined;
  const index = list.findItemIndex(scroller.scrollTop);
  const row = feed.state().rows[index];
  const above = scroller.scrollTop - list.getItemOffset(index);
  return row && { row: row.id, cursor: row.cursor, above };
}
