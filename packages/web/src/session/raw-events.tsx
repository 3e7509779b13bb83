import { escapedJson, type LogEvent } from '@baton/protocol';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { troubleOf } from '../data/attempt.ts';
import { Button, IconButton } from '../design/button.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { Trouble } from '../design/trouble.tsx';
import { some } from '../text/amounts.ts';
import { useRawFeed } from './feed/raw-feed.ts';
import styles from './raw-events.module.css';

/** A longer event is truncated in the view; copying copies all of it. */
const LONGEST = 4000;

/** So near to the end counts as the end. */
const NEAR = 24;

/** The events of the session as the daemon keeps them, the latest at the end. */
export function RawEvents({ onClose }: { onClose: () => void }) {
  const { events, start, hasEarlier, isLoading, error, loadEarlier, retry } = useRawFeed();
  const list = useRef<VListHandle>(null);
  const isAtEnd = useRef(true);
  const shownFrom = useRef(start);
  const isShift = shownFrom.current !== start;
  useLayoutEffect(() => {
    shownFrom.current = start;
    if (isAtEnd.current && events.length > 0) {
      list.current?.scrollToIndex(events.length - 1, { align: 'end' });
    }
  }, [events, start]);
  const onScroll = (offset: number) => {
    const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
    isAtEnd.current = offset + viewportSize >= scrollSize - NEAR;
  };
  return (
    <>
      <header className={styles.head}>
        <h2 ref={focusOnce} tabIndex={-1}>
          Raw events
        </h2>
        <span>{some(start + events.length, 'event')}</span>
        {hasEarlier && (
          <Button small look="quiet" busy={isLoading} onClick={loadEarlier}>
            Load earlier events
          </Button>
        )}
        <IconButton label="Close" icon="close" onClick={onClose} />
      </header>
      {error !== undefined && (
        <div className={styles.trouble}>
          <Trouble {...troubleOf(error)} />
          <Button small onClick={retry}>
            Retry
          </Button>
        </div>
      )}
      <VList ref={list} className={styles.list} data={events} shift={isShift} onScroll={onScroll}>
        {rowOf}
      </VList>
    </>
  );
}

/** Focuses the heading when the user opens the list. */
function focusOnce(heading: HTMLElement | null): void {
  heading?.focus();
}

function rowOf(event: LogEvent) {
  return <RawEvent key={event.cursor} event={event} />;
}

const RawEvent = memo(function RawEvent({ event }: { event: LogEvent }) {
  const [isOpen, open] = useState(false);
  const { cursor, type, time } = event;
  return (
    <div className={styles.event}>
      <button
        type="button"
        className={styles.line}
        aria-expanded={isOpen}
        onClick={() => open(!isOpen)}
      >
        <span className={styles.cursor}>{cursor}</span>
        <span className={styles.type}>{type}</span>
        <time dateTime={new Date(time).toISOString()}>{new Date(time).toLocaleTimeString()}</time>
      </button>
      {isOpen && (
        <div className={styles.body}>
          <CopyButton text={() => JSON.stringify(event, null, 2)} label="Copy event" />
          <pre dir="ltr">{escapedJson(event).slice(0, LONGEST)}</pre>
        </div>
      )}
    </div>
  );
});
