import { Link, useLocation } from 'wouter';
import styles from './sub-nav.module.css';

type Props = { label: string; ways: readonly { path: string; label: string }[] };

/** The navigation between the parts of one view; each part has its own URL. */
export function SubNav({ label, ways }: Props) {
  const [location] = useLocation();
  return (
    <nav aria-label={label} className={styles.nav}>
      {ways.map(({ path, label: words }) => (
        <Link
          key={path}
          href={path}
          className={styles.way}
          aria-current={location === path ? 'page' : undefined}
          ref={location === path ? bringIntoView : undefined}
        >
          {words}
        </Link>
      ))}
    </nav>
  );
}

/** On a phone not all of them fit. */
function bringIntoView(way: HTMLElement | null): void {
  way?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
