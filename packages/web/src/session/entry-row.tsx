import { memo, useSyncExternalStore } from 'react';
import { some } from '../text/amounts.ts';
import { Collapsible } from './entries/collapsible.tsx';
import { CancelledLine } from './entries/lines.tsx';
import { Nested } from './entries/nested.tsx';
import { OneEntry } from './entries/one-entry.tsx';
import { useEntry, useOpen } from './feed/open-session.tsx';
import type { Row } from './feed/row-list.ts';
import styles from './transcript.module.css';

/** One row of the transcript. */
export const EntryRow = memo(function EntryRow({ row }: { row: Row }) {
  return (
    <div className={styles.row}>
      <RowContent row={row} />
    </div>
  );
});

function RowContent({ row: { cursor, orphansOf, cancelled } }: { row: Row }) {
  if (orphansOf !== undefined) return <Orphans parentKey={orphansOf} cursor={cursor} />;
  if (cancelled !== undefined) return <Cancelled cursors={{ stop: cursor, prompt: cancelled }} />;
  return <OneEntry cursor={cursor} />;
}

function Cancelled({ cursors }: { cursors: { stop: number; prompt: number } }) {
  const [stop, prompt] = [useEntry(cursors.stop), useEntry(cursors.prompt)];
  if (stop?.kind !== 'stop' || prompt?.kind !== 'prompt') return null;
  return <CancelledLine stop={stop} prompt={prompt} />;
}

function Orphans({ parentKey, cursor }: { parentKey: string; cursor: number }) {
  const { feed } = useOpen();
  const cursors = useSyncExternalStore(
    (listener) => feed.subscribeEntry(cursor, listener),
    () => feed.orphans(parentKey),
  );
  return (
    <Collapsible
      place={`orphans ${parentKey}`}
      icon="agent"
      title="Sub-agent (continued)"
      aside={some(cursors.length, 'step')}
    >
      <Nested cursors={cursors} />
    </Collapsible>
  );
}
