import { Fragment, memo } from 'react';
import type { DiffReview } from './diff-review.ts';
import styles from './diff-view.module.css';
import { LineNumber } from './line-number.tsx';
import { quoteIn } from './line-places.ts';
import type { DiffLine } from './parse-diff.ts';

const SIGNS = { add: '+', remove: '−', same: ' ', gap: '' } as const;

type Props = { lines: readonly DiffLine[]; review: DiffReview | undefined };

/** Removed and added lines below each other. */
export function UnifiedLines({ lines, review }: Props) {
  return (
    <div className={styles.lines}>
      {lines.map((line, index) => {
        const side = line.kind === 'remove' ? 'old' : 'new';
        const number = side === 'old' ? line.before : line.after;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name, and none moves
          <Fragment key={index}>
            <Line
              line={line}
              onLine={review?.onLine}
              isChosen={number !== undefined && review?.isChosen(side, number) === true}
            />
            {number !== undefined && review?.below(side, number, quoteIn(lines, side))}
          </Fragment>
        );
      })}
    </div>
  );
}

type LineProps = { line: DiffLine; onLine: DiffReview['onLine']; isChosen: boolean };

const Line = memo(function Line({ line, onLine, isChosen }: LineProps) {
  const { kind, text, before, after } = line;
  if (kind === 'gap') return <div className={styles.gap}>{text || '⋯'}</div>;
  return (
    <div className={styles.line} data-kind={kind} data-chosen={isChosen || undefined}>
      <LineNumber side="old" line={before} onLine={kind === 'remove' ? onLine : undefined} />
      <LineNumber side="new" line={after} onLine={onLine} />
      <span className={styles.sign}>{SIGNS[kind]}</span>
      <span className={styles.text}>{text}</span>
    </div>
  );
});
