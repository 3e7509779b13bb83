import type { LogEvent } from '@baton/protocol';
import { memo, useEffect, useRef, useState } from 'react';
import { VList } from 'virtua';
import { useDaemon } from '../data/daemon.tsx';
import { IconButton } from '../design/button.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { some } from '../text/amounts.ts';
import { Batches } from './batches.ts';
import { useOpen } from './open-session.tsx';
import styles from './raw-events.module.css';

/** More than this of an event is cut until somebody copies it. */
const LONGEST = 4000;

/** Every event of the session as the daemon keeps it. */
export function RawEvents({ onClose }: { onClose: () => void }) {
  const events = useEvents();
  return (
    <>
      <header className={styles.head}>
        <h2>Raw events</h2>
        <span>{some(events.length, 'event')}</span>
        <IconButton label="Close" icon="close" onClick={onClose} />
      </header>
      <VList className={styles.list} data={events}>
        {rowOf}
      </VList>
    </>
  );
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
          <CopyButton text={() => JSON.stringify(event, null, 2)} label="Copy the event" />
          <pre dir="ltr">{JSON.stringify(event, null, 2).slice(0, LONGEST)}</pre>
        </div>
      )}
    </div>
  );
});

function useEvents(): readonly LogEvent[] {
  const { client } = useDaemon();
  const { feed } = useOpen();
  const all = useRef<LogEvent[]>([]);
  const [events, show] = useState<readonly LogEvent[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    all.current = [];
    const batches = new Batches<LogEvent>((more) => {
      if (stop.signal.aborted) return;
      all.current.push(...more);
      show([...all.current]);
    });
    const read = async () => {
      const events = client.follow(feed.sessionId, { signal: stop.signal });
      for await (const event of events) batches.add(event);
    };
    read().catch(() => {});
    return () => stop.abort();
  }, [client, feed]);
  return events;
}
