import type { ReactNode } from 'react';
import { ScrollFrame } from './scroll-frame.tsx';
import styles from './table.module.css';

type Props = {
  label: string;
  /** Its cells are numbers, aligned by digit. */
  numbers?: boolean;
  /** For what only this table has; the selectors must be more exact than those of all tables. */
  className?: string | undefined;
  children: ReactNode;
};

/** A table that scrolls on its own when it is too wide or too long. */
export function Table({ label, numbers, className = '', children }: Props) {
  return (
    <ScrollFrame label={label}>
      <table className={`${styles.table} ${className}`} data-numbers={numbers || undefined}>
        {children}
      </table>
    </ScrollFrame>
  );
}
