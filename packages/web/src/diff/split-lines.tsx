import { memo, useMemo } from 'react';
import styles from './diff-view.module.css';
import type { DiffLine } from './parse-diff.ts';
import { sideBySide } from './side-by-side.ts';

/** The file before and after, beside each other. */
export function SplitLines({ lines }: { lines: readonly DiffLine[] }) {
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
          <div key={index} className={styles.pair}>
            <Side line={before} number={before?.before} />
            <Side line={after} number={after?.after} />
          </div>
        ),
      )}
    </div>
  );
}

const Side = memo(function Side({
  line,
  number,
}: {
  line: DiffLine | undefined;
  number: number | undefined;
}) {
  return (
    <div className={styles.side} data-kind={line?.kind ?? 'none'}>
      <span className={styles.number}>{number}</span>
      <span className={styles.text}>{line?.text}</span>
    </div>
  );
});
