import type { FileChange } from '@baton/protocol';
import { memo, type ReactNode, useMemo, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Exact } from '../design/exact.tsx';
import { count, some } from '../text/amounts.ts';
import { useDiffLook } from './diff-look.ts';
import styles from './diff-view.module.css';
import { parseDiff } from './parse-diff.ts';
import { SplitLines } from './split-lines.tsx';
import { UnifiedLines } from './unified-lines.tsx';

/** More lines than this are shown piece by piece: each costs the browser some work. */
const PIECE = 400;

type Props = {
  change: FileChange;
  /** How many lines are shown before somebody asks for more. */
  first?: number;
};

/** What a change does to a file, line by line. */
export const DiffView = memo(function DiffView({ change, first = PIECE }: Props) {
  const { lines } = useMemo(() => parseDiff(change), [change]);
  const [most, showMost] = useState(first);
  const look = useDiffLook();
  if (lines.length === 0) return <p className={styles.nothing}>{withoutLines(change)}</p>;
  const shown = lines.length > most ? lines.slice(0, most) : lines;
  const left = lines.length - shown.length;
  return (
    <div className={styles.diff} dir="ltr">
      {look === 'split' ? <SplitLines lines={shown} /> : <UnifiedLines lines={shown} />}
      {left > 0 && (
        <div className={styles.more}>
          <Button small look="quiet" icon="chevronDown" onClick={() => showMost(most + PIECE)}>
            {left > PIECE
              ? `Show ${PIECE} of ${count(left)} more lines`
              : `Show ${some(left, 'more line')}`}
          </Button>
        </div>
      )}
    </div>
  );
});

function withoutLines({ kind, newPath }: FileChange): ReactNode {
  if (kind === 'delete') return 'The file is deleted.';
  if (kind === 'rename') {
    return <>The file is now {newPath === undefined ? 'elsewhere' : <Exact text={newPath} />}.</>;
  }
  if (kind === 'add') return 'The file is new and empty, or the agent did not say what is in it.';
  return 'The agent did not say what changed.';
}
