import { Fragment, memo, type ReactNode } from 'react';
import type { DiffReview } from './diff-review.ts';
import styles from './diff-view.module.css';
import { type ExpandGap, GapLine } from './gap-line.tsx';
import type { LineColours } from './line-colours.ts';
import { LineNumber } from './line-number.tsx';
import { quoteIn } from './line-places.ts';
import type { DiffLine } from './parse-diff.ts';

const SIGNS = { add: '+', remove: '−', same: ' ', gap: '' } as const;

type Props = {
  lines: readonly DiffLine[];
  review: DiffReview | undefined;
  hunks: ReadonlyMap<DiffLine, number>;
  current: number | undefined;
  colours: LineColours | undefined;
  onExpand: ExpandGap;
};

/** Removed and added lines below each other. */
export function UnifiedLines({ lines, review, hunks, current, colours, onExpand }: Props) {
  return (
    <div className={styles.lines}>
      {lines.map((line, index) => {
        const side = line.kind === 'remove' ? 'old' : 'new';
        const number = side === 'old' ? line.before : line.after;
        const hunk = hunks.get(line);
        if (line.kind === 'gap') {
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name, and none moves
          return <GapLine key={index} line={line} onExpand={onExpand} />;
        }
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name, and none moves
          <Fragment key={index}>
            <Line
              {...{ line, hunk }}
              words={colours?.get(line)}
              isCurrent={hunk !== undefined && hunk === current}
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

type LineProps = {
  line: DiffLine;
  /** Number of the hunk that begins here. */
  hunk: number | undefined;
  isCurrent: boolean;
  /** The text in colours, once it is there. */
  words: ReactNode;
  onLine: DiffReview['onLine'];
  isChosen: boolean;
};

const Line = memo(function Line({ line, hunk, isCurrent, words, onLine, isChosen }: LineProps) {
  const { kind, text, before, after } = line;
  return (
    <div
      className={styles.line}
      data-kind={kind}
      data-chosen={isChosen || undefined}
      data-hunk={hunk}
      data-current={isCurrent || undefined}
    >
      <LineNumber side="old" line={before} onLine={kind === 'remove' ? onLine : undefined} />
      <LineNumber side="new" line={after} onLine={onLine} />
      <span className={styles.sign}>{SIGNS[kind]}</span>
      <span className={styles.text}>{words ?? text}</span>
    </div>
  );
});
