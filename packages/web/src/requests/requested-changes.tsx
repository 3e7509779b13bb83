import type { FileChange } from '@baton/protocol';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Untruncated } from '../design/untruncated.tsx';
import { DiffView } from '../diff/diff-view.tsx';
import { some } from '../text/amounts.ts';
import styles from './requests.module.css';

/** Number of files that are rendered at once. */
const PIECE = 20;

/** The files that an agent asks to change, with their diffs. */
export function RequestedChanges({ changes }: { changes: readonly FileChange[] }) {
  const [most, showMost] = useState(PIECE);
  const left = changes.length - most;
  return (
    <>
      {changes.slice(0, most).map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one request may change a file twice
        <div key={index} className={styles.change}>
          <div className={styles.path} dir="ltr">
            <Untruncated text={change.path} />
            {change.newPath && ' → '}
            {change.newPath && <Untruncated text={change.newPath} />}
            {change.kind === 'delete' && ' (deleted)'}
          </div>
          <DiffView change={change} first={20} />
        </div>
      ))}
      {left > 0 && (
        <Button small look="quiet" icon="chevronDown" onClick={() => showMost(most + PIECE)}>
          Show {left > PIECE && `${PIECE} of `}
          {some(left, 'more change')}
        </Button>
      )}
    </>
  );
}
