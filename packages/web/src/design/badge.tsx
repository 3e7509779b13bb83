import type { ReactNode } from 'react';
import styles from './badge.module.css';

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad' | 'info';

/** A highlighted word or number. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  );
}

/** A dot that shows a status; its label has the text. */
export function Dot({
  tone,
  label,
  alive,
}: {
  tone: Tone;
  label?: string;
  alive?: boolean | undefined;
}) {
  return (
    <span className={styles.dot} data-tone={tone} data-alive={alive || undefined}>
      {label && <span className="only-for-readers">{label}</span>}
    </span>
  );
}
