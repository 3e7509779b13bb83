import type { ReactNode } from 'react';
import styles from './figures.module.css';
import surface from './surface.module.css';

type Figure = { label: string; value: ReactNode; about?: ReactNode };

/** The few numbers that tell the most, side by side. */
export function Figures({ label, figures }: { label: string; figures: readonly Figure[] }) {
  return (
    <dl aria-label={label} className={styles.figures}>
      {figures.map(({ label: name, value, about }) => (
        <div key={name} className={`${surface.surface} ${styles.figure}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {about && <dd className={styles.about}>{about}</dd>}
        </div>
      ))}
    </dl>
  );
}
