import { Link, useLocation } from 'wouter';
import { useRecords } from '../data/queries.ts';
import { useTaskStatuses } from '../data/task-status.ts';
import { Dot } from '../design/badge.tsx';
import styles from './recent-sessions.module.css';

const MOST = 8;

/** The sessions with the latest news. */
export function RecentSessions() {
  const [location] = useLocation();
  const statuses = useTaskStatuses();
  const { data } = useRecords(['sessions', 'recent'], (client) =>
    client.sessions.find({ limit: MOST }),
  );
  if (!data || data.data.length === 0) return null;
  return (
    <div>
      <h2 className={styles.title}>Recent sessions</h2>
      <ul>
        {data.data.map(({ session_id, title, cwd, last_task_status }) => {
          const href = `/sessions/${session_id}`;
          const status = last_task_status && statuses[last_task_status];
          return (
            <li key={session_id}>
              <Link
                href={href}
                className={styles.session}
                aria-current={location.startsWith(href) ? 'page' : undefined}
                title={`${title}\n${cwd}`}
              >
                {status && <Dot tone={status.tone} alive={status.isAlive} label={status.label} />}
                <span className={styles.name} dir="auto">
                  {title || cwd}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
