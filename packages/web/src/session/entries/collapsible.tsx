import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../design/icon.tsx';
import { useUnfolded } from '../feed/open-session.tsx';
import styles from './collapsible.module.css';

type Props = {
  /** The key under which its open state is remembered. */
  place: string;
  icon: IconName;
  title: ReactNode;
  /** Shown after the title: outcome, duration. */
  aside?: ReactNode;
  /** True if it is open before the user toggles it. */
  atFirst?: boolean;
  look?: 'card' | 'plain';
  children?: ReactNode;
};

/** A card with a title line and content that can be expanded. */
export function Collapsible({
  place,
  icon,
  title,
  aside,
  atFirst = false,
  look = 'card',
  children,
}: Props) {
  const [isOpen, unfold] = useUnfolded(place, atFirst);
  const hasMore = children !== undefined && children !== null && children !== false;
  const line = (
    <>
      <Icon name={icon} size={16} />
      <span className={styles.title} dir="auto">
        {title}
      </span>
      {aside && <span className={styles.aside}>{aside}</span>}
    </>
  );
  return (
    <div className={styles.fold} data-look={look} data-open={(hasMore && isOpen) || undefined}>
      {hasMore ? (
        <button
          type="button"
          className={styles.head}
          aria-expanded={isOpen}
          onClick={() => unfold(!isOpen)}
        >
          {line}
          <span className={styles.sign}>
            <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
          </span>
        </button>
      ) : (
        <div className={styles.head}>{line}</div>
      )}
      {hasMore && isOpen && <div className={styles.body}>{children}</div>}
    </div>
  );
}
