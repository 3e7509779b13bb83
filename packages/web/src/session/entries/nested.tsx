import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { count } from '../../text/amounts.ts';
import styles from './collapsible.module.css';
import { OneEntry } from './one-entry.tsx';

const PIECE = 40;

/** The entries of a sub-agent: the latest ones, and earlier ones on demand. */
export function Nested({ cursors }: { cursors: readonly number[] }) {
  const [most, showMost] = useState(PIECE);
  const hidden = Math.max(0, cursors.length - most);
  return (
    <div className={styles.nested}>
      {hidden > 0 && (
        <Button small look="quiet" onClick={() => showMost(most + PIECE)}>
          Show earlier steps ({count(hidden)})
        </Button>
      )}
      {cursors.slice(hidden).map((cursor) => (
        <OneEntry key={cursor} cursor={cursor} />
      ))}
    </div>
  );
}
