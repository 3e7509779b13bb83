import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './clamped-link.module.css';

type Props = { href: string; lines: 2 | 3; children: ReactNode };

/** A link with text of users or agents, which may be long: only its first lines are shown. */
export function ClampedLink({ href, lines, children }: Props) {
  return (
    <Link href={href} className={styles.link} data-lines={lines} dir="auto">
      {children}
    </Link>
  );
}
