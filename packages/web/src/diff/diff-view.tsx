import type { FileChange } from '@baton/protocol';
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../design/button.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { count, some } from '../text/amounts.ts';
import { useDiffLayout } from './diff-layout.ts';
import type { DiffReview } from './diff-review.ts';
import styles from './diff-view.module.css';
import { hunkStarts } from './hunk-starts.ts';
import { useLineColours } from './line-colours.ts';
import { SplitLines } from './split-lines.tsx';
import { UnifiedLines } from './unified-lines.tsx';
import { type DiffContext, useExpandedLines } from './use-expanded-lines.ts';

/** Number of lines that are rendered at a time: each line costs the browser some work. */
const PIECE = 400;

type Props = {
  change: FileChange;
  /** Number of lines that are shown before the user asks for more. */
  first?: number;
  /** Comments between the lines. */
  review?: DiffReview | undefined;
  /** The hunk that the user went to with a key; another object brings it to the screen. */
  current?: CurrentHunk | undefined;
  /** Where the lines between the hunks come from; without it they stay hidden. */
  context?: DiffContext | undefined;
};

export type CurrentHunk = { hunk: number };

/** The diff of a file, line by line. */
export const DiffView = memo(function DiffView({
  change,
  first = PIECE,
  review,
  current,
  context,
}: Props) {
  const place = useRef<HTMLDivElement>(null);
  const { lines, onExpand } = useExpandedLines(change, context, place);
  const [most, showMost] = useState(first);
  const look = useDiffLayout();
  const shown = useMemo(() => (lines.length > most ? lines.slice(0, most) : lines), [lines, most]);
  const hunks = useMemo(() => hunkStarts(shown), [shown]);
  const colours = useLineColours(shown, change.newPath ?? change.path);
  useEffect(() => {
    if (!current) return;
    const row = place.current?.querySelector(`[data-hunk="${current.hunk}"]`);
    row?.scrollIntoView({ block: 'center' });
  }, [current]);
  if (lines.length === 0) return <p className={styles.nothing}>{withoutLines(change)}</p>;
  const left = lines.length - shown.length;
  return (
    <div ref={place} className={styles.diff} dir="ltr">
      {look === 'split' ? (
        <SplitLines
          lines={shown}
          {...{ review, hunks, colours, onExpand }}
          current={current?.hunk}
        />
      ) : (
        <UnifiedLines
          lines={shown}
          {...{ review, hunks, colours, onExpand }}
          current={current?.hunk}
        />
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
