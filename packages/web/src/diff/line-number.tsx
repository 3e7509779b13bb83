import type { DiffReview, LineSide } from './diff-review.ts';
import styles from './diff-view.module.css';

type Props = {
  side: LineSide;
  line: number | undefined;
  /** Called to comment on the line; with Shift, on all lines up to it. */
  onLine: DiffReview['onLine'];
};

/** The number of a line, which is a button where the line can be commented on. */
export function LineNumber({ side, line, onLine }: Props) {
  if (line === undefined || !onLine) return <span className={styles.number}>{line}</span>;
  return (
    <button
      type="button"
      className={styles.number}
      data-line={line}
      aria-label={`Comment on line ${line}${side === 'old' ? ' before the change' : ''}`}
      onClick={(event) => onLine(side, line, event.shiftKey)}
    >
      {line}
    </button>
  );
}
