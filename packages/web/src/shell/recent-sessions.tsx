import { Link, useLocation } from 'wouter';
import { useRecords } from '../data/queries.ts';
import styles from './recent-sessions.module.css';

const MOST = 8;

/** The sessions with the latest news. */
export function RecentSessions() {
  const [location] = useLocation();
  const { data } = useRecords(['sessions', 'recent'], (client) =>
    client.sessions.find({ limit: MOST }),
  );
  if (!data || data.data.length === 0) return null;
  return (
    <div>
      <h2 className={styles.title}>Recent sessions</h2>
      <ul>
        {data.data.map(({ session_id, title, cwd }) => {
          const href = `/sessions/${session_id}`;
          return (
            <li key={session_id}>
              <Link
                href={href}
                className={styles.session}
                aria-current={location.startsWith(href) ? 'page' : undefined}
                title={`${title}\n${cwd}`}
                dir="auto"
              >
                {title || cwd}
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
