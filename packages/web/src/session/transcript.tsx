import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { Button } from '../design/button.tsx';
import { EntryRow } from './entry-row.tsx';
import { useOpenSession } from './open-session.tsx';
import type { Row } from './row-list.ts';
import styles from './transcript.module.css';
import { WorkingLine } from './working-line.tsx';

/** So near to the end counts as the end. */
const NEAR = 24;
/** So near to the beginning, what came before is loaded. */
const EARLY = 1200;

/** So far rows are drawn before they are seen: by then their height is known, and nothing jumps. */
const AHEAD = 1000;

/** Where others can make the list go. */
export type Moves = { to: (cursor: number) => void; toEnd: () => void };

/** Everything that happened in the session, the latest at the end. */
export function Transcript({ onMoves }: { onMoves: (moves: Moves) => void }) {
  const { feed } = useOpenSession();
  const { rows, pages, hasEarlier, isLoadingEarlier } = useSyncExternalStore(
    feed.subscribe,
    feed.state,
  );
  const list = useRef<VirtualizerHandle>(null);
  const { scroller, isAway, toEnd, onScroll, onResize } = useEnd();
  const isShift = useChanged(pages);

  const loadEarlier = useCallback(() => {
    const { current } = scroller;
    if (current && current.scrollTop < EARLY) feed.loadEarlier();
  }, [feed, scroller]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page may leave room for another one
  useEffect(loadEarlier, [loadEarlier, rows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows are news to whoever is at the end
  useLayoutEffect(onResize, [rows]);
  useEffect(() => {
    const to = (cursor: number) => {
      const index = rows.findIndex((row) => row.cursor === cursor);
      if (index !== -1) list.current?.scrollToIndex(index, { align: 'start' });
    };
    onMoves({ to, toEnd });
  }, [onMoves, rows, toEnd]);

  return (
    <div className={styles.place}>
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
        <Virtualizer
          ref={list}
          scrollRef={scroller}
          data={rows}
          shift={isShift}
          bufferSize={AHEAD}
          onScroll={() => {
            onScroll();
            loadEarlier();
          }}
          onResize={onResize}
        >
          {rowOf}
        </Virtualizer>
        <WorkingLine />
      </div>
      {hasEarlier && isLoadingEarlier && <p className={styles.earlier}>Loading what came before</p>}
      {isAway && (
        <div className={styles.latest}>
          <Button small icon="arrowDown" onClick={toEnd}>
            Jump to the latest
          </Button>
        </div>
      )}
    </div>
  );
}

function rowOf(row: Row) {
  return <EntryRow key={row.id} row={row} />;
}

/** Keeps whoever is at the end there, and everybody else where they are. */
function useEnd() {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const last = useRef(0);
  const [isAway, setAway] = useState(false);
  const toEnd = useCallback(() => {
    isAtEnd.current = true;
    setAway(false);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, []);
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
  }, []);
  return { scroller, isAway, toEnd, onScroll, onResize };
}

/** Whether a number is another one than when the list was last drawn. */
function useChanged(value: number): boolean {
  const before = useRef(value);
  const isChanged = before.current !== value;
  useLayoutEffect(() => {
    before.current = value;
  });
  return isChanged;
}
