import type { ListedSession, TaskState } from '@baton/protocol';
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { useDaemon } from '../data/daemon.tsx';
import { useRecords } from '../data/queries.ts';
import { useTaskStatuses } from '../data/task-status.ts';
import { Dot } from '../design/badge.tsx';
import { Icon } from '../design/icon.tsx';
import { sessionTitle } from '../text/session-title.ts';
import { disambiguateTitles } from './disambiguate-titles.ts';
import styles from './recent-sessions.module.css';
import { chooseSessionScope, useSessionScope } from './session-scope.ts';

const MOST = 8;

/** The most recently active sessions: those of the user, or of everyone. */
export function RecentSessions() {
  const [location] = useLocation();
  const statuses = useTaskStatuses();
  const { me } = useDaemon();
  const { whose, isChoice } = useSessionScope();
  // An id in its key would mean a session.
  const { data } = useRecords(
    ['sessions', 'recent', whose],
    (client) =>
      client.sessions.find({
        limit: MOST,
        created_by: whose === 'mine' ? me.user_id : undefined,
      }),
    { enabled: whose !== undefined },
  );
  const numbers = useMemo(() => disambiguateTitles(data?.data ?? []), [data]);
  if (!data || (data.total === 0 && !isChoice)) return null;
  return (
    <div>
      <div className={styles.head}>
        <h2 className={styles.title}>Recent sessions</h2>
        {isChoice && (
          <button
            type="button"
            className={styles.whose}
            onClick={() => chooseSessionScope(whose === 'mine' ? 'all' : 'mine')}
          >
            {whose === 'mine' ? 'Show all' : 'Show mine'}
          </button>
        )}
      </div>
      {data.total === 0 && <p className={styles.none}>No sessions of yours</p>}
      <ul>
        {data.data.map(({ session_id, title, cwd, forked_from, ...session }) => {
          const href = `/sessions/${session_id}`;
          const state = lastState(session);
          const status = state && statuses[state];
          return (
            <li key={session_id}>
              <Link
                href={href}
                className={styles.session}
                aria-current={location.startsWith(href) ? 'page' : undefined}
                title={`${sessionTitle({ title, cwd })}\n${cwd}`}
              >
                {status ? (
                  <Dot tone={status.tone} alive={status.isAlive} label={status.label} />
                ) : (
                  <span className={styles.noDot} />
                )}
                <span className={styles.name} dir="auto">
                  {sessionTitle({ title, cwd })}
                </span>
                {forked_from && (
                  <span className={styles.copy}>
                    <Icon name="fork" size={13} />
                    <span className="only-for-readers">fork</span>
                  </span>
                )}
                {numbers.has(session_id) && (
                  <span className={styles.copy}>{numbers.get(session_id)}</span>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function lastState({
  last_task_status,
  last_task_error,
}: Pick<ListedSession, 'last_task_status' | 'last_task_error'>): TaskState | null {
  const isInterrupted = last_task_status === 'FAILED' && last_task_error === 'interrupted';
  return isInterrupted ? 'INTERRUPTED' : last_task_status;
}
