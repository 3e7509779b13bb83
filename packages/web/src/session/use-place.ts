import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { indexOfPlace, keepPlace, keptPlace, type Place } from './kept-place.ts';
import { useOpen } from './open-session.tsx';
import type { SessionFeed } from './session-feed.ts';

/** The heights of rows are known when these were drawn: until then, and no longer than this, the place is sought. */
const CALM_FRAMES = 2;
const MOST_FRAMES = 30;

type Refs = {
  scroller: RefObject<HTMLElement | null>;
  list: RefObject<VirtualizerHandle | null>;
};

/** Takes whoever comes back to a transcript to where they read, and remembers that place; what waits for them is at the end. */
export function usePlace({ scroller, list }: Refs) {
  const { feed } = useOpen();
  const { sessionId } = feed;
  const [isFound, setFound] = useState(() => isAsked(feed) || keptPlace(sessionId) === undefined);
  const isSeeking = useRef(!isFound);

  useLayoutEffect(() => {
    const place = keptPlace(sessionId);
    if (!isSeeking.current || !place) return;
    let [frame, frames, calm] = [0, 0, 0];
    const seek = () => {
      const index = indexOfPlace(feed.state().rows, place);
      const [start, size] = [list.current?.getItemOffset(index), list.current?.getItemSize(index)];
      // A row that is not drawn yet may seem too short; past its end, the list would take it for one that was read.
      const isKnown = (size ?? 0) > place.above;
      const top = (start ?? 0) + (isKnown ? place.above : 0);
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
      // Whoever did not wait for the place to be found is still there.
      if (isSeeking.current) return;
      keepPlace(sessionId, feed.isReadAtEnd() ? undefined : placeIn(feed, scroller, list));
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
): Place | undefined {
  if (!scroller || !list) return undefined;
  const index = list.findItemIndex(scroller.scrollTop);
  const row = feed.state().rows[index];
  const above = scroller.scrollTop - list.getItemOffset(index);
  return row && { row: row.id, cursor: row.cursor, above };
}
