import { memo } from 'react';
import styles from './diff-view.module.css';
import type { DiffLine } from './parse-diff.ts';

const SIGNS = { add: '+', remove: '−', same: ' ', gap: '' } as const;

/** Removed and added lines below each other. */
export function UnifiedLines({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <div className={styles.lines}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name, and none moves
        <Line key={index} line={line} />
      ))}
    </div>
  );
}

const Line = memo(function Line({ line: { kind, text, before, after } }: { line: DiffLine }) {
  if (kind === 'gap') return <div className={styles.gap}>{text || '⋯'}</div>;
  return (
    <div className={styles.line} data-kind={kind}>
      <span className={styles.number}>{before}</span>
      <span className={styles.number}>{after}</span>
      <span className={styles.sign}>{SIGNS[kind]}</span>
      <span className={styles.text}>{text}</span>
    </div>
  );
});
