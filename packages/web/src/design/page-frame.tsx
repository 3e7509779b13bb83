import type { ReactNode } from 'react';
import styles from './page-frame.module.css';
import surface from './surface.module.css';

type Props = {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  /** It uses the whole width instead of a readable one. */
  wide?: boolean;
  children: ReactNode;
};

/** The frame of a view: what it is called, what can be done, and what is in it. */
export function PageFrame({ title, about, actions, wide, children }: Props) {
  return (
    <div className={styles.frame} data-wide={wide || undefined} data-focus-home="h1">
      <header className={styles.head}>
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {about && <p className={styles.about}>{about}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a view with its own title. */
export function Section({
  title,
  about,
  actions,
  children,
}: {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={styles.section} data-focus-home="h2">
      <header className={styles.head}>
        <div>
          <h2 tabIndex={-1}>{title}</h2>
          {about && <p className={styles.about}>{about}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** A surface that holds what belongs together. */
export function Card({ children }: { children: ReactNode }) {
  return <div className={`${surface.surface} ${styles.card}`}>{children}</div>;
}
