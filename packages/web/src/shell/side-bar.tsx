import { Link, useLocation } from 'wouter';
import { Badge } from '../design/badge.tsx';
import { Icon } from '../design/icon.tsx';
import { Kbd } from '../design/kbd.tsx';
import { MODIFIER } from '../text/modifier.ts';
import { AccountMenu } from './account-menu.tsx';
import { Mark } from './mark.tsx';
import { type Place, usePlaceGroups } from './places.ts';
import { RecentSessions } from './recent-sessions.tsx';
import styles from './side-bar.module.css';
import { useWaiting } from './waiting.ts';

/** The navigation at the side of a wide page. */
export function SideBar({ openPalette }: { openPalette: () => void }) {
  const groups = usePlaceGroups();
  return (
    <div className={styles.bar}>
      <div className={styles.head}>
        <Link href="/" className={styles.home} aria-label="Baton home">
          <Mark />
        </Link>
      </div>
      <button type="button" className={styles.search} onClick={openPalette}>
        <Icon name="search" size={16} />
        <span>Search…</span>
        <Kbd>{`${MODIFIER} K`}</Kbd>
      </button>
      <nav aria-label="Views" className={styles.nav}>
        {groups.map(({ title, places }) => (
          <div key={title}>
            <h2 className={styles.title}>{title}</h2>
            <ul>
              {places.map((place) => (
                <li key={place.path}>
                  <Way place={place} />
                </li>
              ))}
            </ul>
          </div>
        ))}
        <RecentSessions />
      </nav>
      <AccountMenu />
    </div>
  );
}

function Way({ place: { path, label, icon } }: { place: Place }) {
  const [location] = useLocation();
  const { count, words } = useWaiting(path);
  const isHere = path === '/' ? location === '/' : location.startsWith(path);
  return (
    <Link href={path} className={styles.way} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      {label}
      {count > 0 && (
        <span className={styles.count} title={`${count} ${words}`}>
          <Badge tone="accent">{count}</Badge>
          <span className="only-for-readers"> {words}</span>
        </span>
      )}
    </Link>
  );
}
