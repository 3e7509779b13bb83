import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';

type Props = {
  href: string;
  look?: 'primary' | 'plain';
  small?: boolean;
  icon?: IconName;
  /** The accessible name, if the text alone is not clear enough. */
  label?: string;
  children: ReactNode;
};

/** A link to another view that looks like a button; it can be opened in a new window. */
export function ButtonLink({ href, look = 'plain', small, icon, label, children }: Props) {
  return (
    <Link
      href={href}
      className={styles.button}
      aria-label={label}
      data-look={look}
      data-small={small || undefined}
    >
      {icon && <Icon name={icon} size={small ? 15 : 17} />}
      {children}
    </Link>
  );
}
