import type { ReactNode } from 'react';
import styles from './scroll-frame.module.css';

/** A scrollable surface for content that may be wider or longer than its place, also with keys. */
export function ScrollFrame({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it nobody could scroll it with keys
    <section className={styles.frame} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
