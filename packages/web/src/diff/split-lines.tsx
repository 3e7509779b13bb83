import { Fragment, memo, useMemo } from 'react';
import type { DiffReview, LineSide } from './diff-review.ts';
import styles from './diff-view.module.css';
import { LineNumber } from './line-number.tsx';
import { quoteIn } from './line-places.ts';
import type { DiffLine } from './parse-diff.ts';
import { sideBySide } from './side-by-side.ts';

type Props = { lines: readonly DiffLine[]; review: DiffReview | undefined };

/** The file before and after, beside each other. */
export function SplitLines({ lines, review }: Props) {
  const pairs = useMemo(() => sideBySide(lines), [lines]);
  return (
    <div className={styles.lines}>
      {pairs.map(({ before, after }, index) =>
        before?.kind === 'gap' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name, and none moves
          <div key={index} className={styles.gap}>
            {before.text || '⋯'}
          </div>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name, and none moves
          <Fragment key={index}>
            <div className={styles.pair}>
              <Side side="old" line={before} review={review} />
              <Side side="new" line={after} review={review} />
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
};

function Side({ side, line, review }: SideProps) {
  const number = side === 'old' ? line?.before : line?.after;
  const isChosen = number !== undefined && review?.isChosen(side, number) === true;
  return <HalfLine {...{ side, line, number, isChosen }} onLine={review?.onLine} />;
}

type HalfProps = {
  side: LineSide;
  line: DiffLine | undefined;
  number: number | undefined;
  isChosen: boolean;
  onLine: DiffReview['onLine'];
};

const HalfLine = memo(function HalfLine({ side, line, number, isChosen, onLine }: HalfProps) {
  return (
    <div
      className={styles.side}
      data-kind={line?.kind ?? 'none'}
      data-chosen={isChosen || undefined}
    >
      <LineNumber side={side} line={number} onLine={onLine} />
      <span className={styles.text}>{line?.text}</span>
    </div>
  );
});
