import type { FileChange } from '@baton/protocol';
import { memo, type ReactNode, useMemo, useState } from 'react';
import { Button } from '../design/button.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { count, some } from '../text/amounts.ts';
import { useDiffLayout } from './diff-layout.ts';
import type { DiffReview } from './diff-review.ts';
import styles from './diff-view.module.css';
import { parseDiff } from './parse-diff.ts';
import { SplitLines } from './split-lines.tsx';
import { UnifiedLines } from './unified-lines.tsx';

/** Number of lines that are rendered at a time: each line costs the browser some work. */
const PIECE = 400;

type Props = {
  change: FileChange;
  /** Number of lines that are shown before the user asks for more. */
  first?: number;
  /** Comments between the lines. */
  review?: DiffReview | undefined;
};

/** The diff of a file, line by line. */
export const DiffView = memo(function DiffView({ change, first = PIECE, review }: Props) {
  const { lines } = useMemo(() => parseDiff(change), [change]);
  const [most, showMost] = useState(first);
  const look = useDiffLayout();
  if (lines.length === 0) return <p className={styles.nothing}>{withoutLines(change)}</p>;
  const shown = lines.length > most ? lines.slice(0, most) : lines;
  const left = lines.length - shown.length;
  return (
    <div className={styles.diff} dir="ltr">
      {look === 'split' ? (
        <SplitLines lines={shown} review={review} />
      ) : (
        <UnifiedLines lines={shown} review={review} />
      )}
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
  if (kind === 'delete') return 'File deleted.';
  if (kind === 'rename') {
    return (
      <>The file is now {newPath === undefined ? 'elsewhere' : <LiteralText text={newPath} />}.</>
    );
  }
  if (kind === 'add') return 'Empty file, or the agent didn’t report its content.';
  return 'No diff reported by the agent.';
}
