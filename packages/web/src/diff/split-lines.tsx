import { Fragment, memo, type ReactNode, useMemo } from 'react';
import type { DiffReview, LineSide } from './diff-review.ts';
import styles from './diff-view.module.css';
import { type ExpandGap, GapLine } from './gap-line.tsx';
import type { LineColours } from './line-colours.ts';
import { LineNumber } from './line-number.tsx';
import { quoteIn } from './line-places.ts';
import type { DiffLine } from './parse-diff.ts';
import { type Pair, sideBySide } from './side-by-side.ts';

type Props = {
  lines: readonly DiffLine[];
  review: DiffReview | undefined;
  hunks: ReadonlyMap<DiffLine, number>;
  current: number | undefined;
  colours: LineColours | undefined;
  onExpand: ExpandGap;
};

/** The file before and after, beside each other. */
export function SplitLines({ lines, review, hunks, current, colours, onExpand }: Props) {
  const pairs = useMemo(() => sideBySide(lines), [lines]);
  const hunkOf = ({ before, after }: Pair) =>
    (before && hunks.get(before)) ?? (after && hunks.get(after));
  const isCurrent = (hunk: number | undefined) => hunk !== undefined && hunk === current;
  return (
    <div className={styles.lines}>
      {pairs.map(({ before, after }, index) =>
        before?.kind === 'gap' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name, and none moves
          <GapLine key={index} line={before} onExpand={onExpand} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name, and none moves
          <Fragment key={index}>
            <div
              className={styles.pair}
              data-hunk={hunkOf({ before, after })}
              data-current={isCurrent(hunkOf({ before, after })) || undefined}
            >
              <Side side="old" line={before} {...{ review, colours }} />
              <Side side="new" line={after} {...{ review, colours }} />
            </div>
            {(['old', 'new'] as const).map((side) => {
              const number = side === 'old' ? before?.before : after?.after;
              const below = number && review?.below(side, number, quoteIn(lines, side));
              return below ? <div key={side}>{below}</div> : null;
            })}
          </Fragment>
        ),
      )}
    </div>
  );
}

type SideProps = {
  side: LineSide;
  line: DiffLine | undefined;
  review: DiffReview | undefined;
  colours: LineColours | undefined;
};

function Side({ side, line, review, colours }: SideProps) {
  const number = side === 'old' ? line?.before : line?.after;
  const isChosen = number !== undefined && review?.isChosen(side, number) === true;
  return (
    <HalfLine
      {...{ side, line, number, isChosen }}
      words={line && colours?.get(line)}
      onLine={review?.onLine}
    />
  );
}

type HalfProps = {
  side: LineSide;
  line: DiffLine | undefined;
  number: number | undefined;
  isChosen: boolean;
  /** The text in colours, once it is there. */
  words: ReactNode;
  onLine: DiffReview['onLine'];
};

const HalfLine = memo(function HalfLine({
  side,
  line,
  number,
  isChosen,
  words,
  onLine,
}: HalfProps) {
  return (
    <div
      className={styles.side}
      data-kind={line?.kind ?? 'none'}
      data-chosen={isChosen || undefined}
    >
      <LineNumber side={side} line={number} onLine={onLine} />
      <span className={styles.text}>{words ?? line?.text}</span>
    </div>
  );
});
