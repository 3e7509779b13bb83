import type { ReactNode } from 'react';
import styles from './rows.module.css';
import surface from './surface.module.css';

type RowsProps = {
  label: string;
  /** Stands in the place of all of them where there are none. */
  empty?: ReactNode;
  children: readonly ReactNode[];
};

/** Things of one kind below each other, on one surface. */
export function Rows({ label, empty, children }: RowsProps) {
  if (children.length === 0 && empty) return empty;
  return (
    <ul aria-label={label} className={surface.surface}>
      {children}
    </ul>
  );
}

type RowProps = {
  title: ReactNode;
  /** Badges next to the title. */
  badges?: ReactNode;
  /** Facts in a smaller line, one each. */
  facts?: readonly ReactNode[];
  actions?: ReactNode;
  /** More than fits into a line. */
  children?: ReactNode;
};

/** One of them, with what is known of it and what can be done. */
export function Row({ title, badges, facts = [], actions, children }: RowProps) {
  const shown = facts.filter((fact) => fact !== undefined && fact !== null && fact !== false);
  return (
    <li className={styles.row}>
      <div className={styles.words}>
        <div className={styles.title}>
          {title}
          {badges}
        </div>
        {shown.length > 0 && (
          <ul className={styles.facts}>
            {shown.map((fact, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: facts have nothing else, and keep their order
              <li key={place}>{fact}</li>
            ))}
          </ul>
        )}
        {children}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </li>
  );
}
