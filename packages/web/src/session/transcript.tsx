import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { Button } from '../design/button.tsx';
import { Earlier } from './earlier.tsx';
import { EntryRow } from './entry-row.tsx';
import { useOpen } from './feed/open-session.tsx';
import type { Row } from './feed/row-list.ts';
import styles from './transcript.module.css';
import { useEarlier } from './use-earlier.ts';
import { useScrollPosition } from './use-scroll-position.ts';
import { useStickToBottom } from './use-stick-to-bottom.ts';
import { WorkingLine } from './working-line.tsx';

/** Rows are rendered this many pixels before they are visible: their height is then known, and nothing jumps. */
const AHEAD = 1000;

/** Functions that scroll the list. */
export type Moves = { to: (cursor: number) => void; toEnd: () => void };

/** The entries of the session, the latest at the end. */
export function Transcript({ onMoves }: { onMoves: (moves: Moves) => void }) {
  const { feed } = useOpen();
  const { rows, pages, isLoadingEarlier } = useSyncExternalStore(feed.subscribe, feed.state);
  const list = useRef<VirtualizerHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const { isFound, isSeeking } = useScrollPosition({ scroller, list });
  const end = useStickToBottom(scroller, isFound);
  const { content, isAway, isReadAtEnd, toEnd, leave, onResize } = end;
  const earlier = useEarlier(scroller, isFound);
  const isShift = useChanged(pages);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows matter to a reader at the end
  useLayoutEffect(onResize, [rows]);
  useEffect(() => {
    feed.isReadAtEnd = isReadAtEnd;
    return () => {
      // A reader who comes back finds the same place.
      const wasAtEnd = isReadAtEnd();
      feed.isReadAtEnd = () => wasAtEnd;
    };
  }, [feed, isReadAtEnd]);
  useEffect(() => {
    const to = (cursor: number) => {
      const index = rows.findIndex((row) => row.cursor === cursor || row.cancelled === cursor);
      if (index === -1) return;
      leave();
      list.current?.scrollToIndex(index, { align: 'start' });
    };
    onMoves({ to, toEnd });
  }, [onMoves, rows, toEnd, leave]);

  return (
    <div className={styles.place} data-focus-home="[role=log]">
      <Earlier isPaused={earlier.isPaused} onMore={earlier.loadMore} />
      <div
        ref={scroller}
        className={styles.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        role="log"
        aria-label="Transcript"
        aria-live="off"
        aria-busy={isLoadingEarlier}
      >
        <div ref={content} className={isFound ? undefined : styles.unseen}>
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            data={rows}
            shift={isShift}
            bufferSize={AHEAD}
            onScroll={() => {
              if (isSeeking.current) return;
              end.onScroll();
              earlier.onScroll();
            }}
            onResize={onResize}
          >
            {rowOf}
          </Virtualizer>
          <WorkingLine />
        </div>
      </div>
      {isAway && (
        <div className={styles.latest}>
          <Button small icon="arrowDown" onClick={toEnd}>
            Jump to latest
          </Button>
        </div>
      )}
    </div>
  );
}

function rowOf(row: Row) {
  return <EntryRow key={row.id} row={row} />;
}

/** True if a number has changed since the last render. */
function useChanged(value: number): boolean {
  const before = useRef(value);
  const isChanged = before.current !== value;
  useLayoutEffect(() => {
    before.current = value;
  });
  return isChanged;
}
