import { Link, useLocation } from 'wouter';
import { usePending, usePendingWords } from '../data/pending.ts';
import { Icon } from '../design/icon.tsx';
import styles from './bottom-bar.module.css';
import { usePlaces } from './places.ts';

/** The navigation at the bottom of a phone. */
export function BottomBar({ openPalette }: { openPalette: () => void }) {
  const [location] = useLocation();
  const pending = usePending();
  const words = usePendingWords();
  const places = usePlaces();
  return (
    <nav aria-label="Main views" className={styles.bar}>
      {places
        .filter(({ isMain }) => isMain)
        .map(({ path, label, icon }) => (
          <Link
            key={path}
            href={path}
            className={styles.way}
            aria-current={location === path ? 'page' : undefined}
          >
            <Icon name={icon} size={20} />
            {label}
            {path === '/inbox' && pending > 0 && (
              <span className={styles.count}>
                {pending}
                <span className="only-for-readers"> {words}</span>
              </span>
            )}
          </Link>
        ))}
      <button type="button" className={styles.way} onClick={openPalette}>
        <Icon name="menu" size={20} />
        More
      </button>
    </nav>
  );
}
