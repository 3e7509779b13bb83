import { Button } from '../design/button.tsx';
import styles from './diff-view.module.css';
import type { DiffLine } from './parse-diff.ts';

/** Loads lines of a gap; undefined where there are none to load. */
export type ExpandGap = ((gap: number, lines: number) => void) | undefined;

/** Number of lines that one click shows. */
const STEP = 20;

/** The place of unchanged lines that are left out, with buttons that show them. */
export function GapLine({
  line: { text, gap },
  onExpand,
}: {
  line: DiffLine;
  onExpand: ExpandGap;
}) {
  return (
    <div className={styles.gap}>
      {gap !== undefined && onExpand && (
        <span className={styles.expand}>
          <Button small look="quiet" onClick={() => onExpand(gap, STEP)}>
            Show {STEP} more lines
          </Button>
          <Button small look="quiet" onClick={() => onExpand(gap, Number.POSITIVE_INFINITY)}>
            Show all
          </Button>
        </span>
      )}
      <span>{text || (gap === undefined ? '⋯' : '')}</span>
    </div>
  );
}
