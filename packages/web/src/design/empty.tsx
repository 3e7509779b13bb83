import type { ReactNode } from 'react';
import styles from './empty.module.css';
import { Icon, type IconName } from './icon.tsx';

type Props = { icon: IconName; title: string; children?: ReactNode; actions?: ReactNode };

/** Says that there is nothing here yet, or why, and what to do about it. */
export function Empty({ icon, title, children, actions }: Props) {
  return (
    <div className={styles.empty}>
      <span className={styles.icon}>
        <Icon name={icon} size={26} />
      </span>
      <h2>{title}</h2>
      {children && <div className={styles.words}>{children}</div>}
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

/** Says in one quiet line that there is nothing, where that is nothing special. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className={styles.nothing}>{children}</p>;
}

/** Grey bars in the place of what is being loaded. */
export function Loading({
  lines = 3,
  label = 'Loading',
}: {
  lines?: number | undefined;
  label?: string;
}) {
  return (
    <div className={styles.loading} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have nothing else
        <span key={line} className={styles.bar} />
      ))}
    </div>
  );
}
