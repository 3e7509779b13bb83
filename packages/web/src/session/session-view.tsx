import { useParams } from 'wouter';
import { troubleOf } from '../data/attempt.ts';
import { useRecords } from '../data/queries.ts';
import { Empty, Loading } from '../design/empty.tsx';
import styles from './session.module.css';
import { SessionPage } from './session-page.tsx';

/** One session: what happened in it, and what can be done with it. */
export function SessionView() {
  const { id = '', part } = useParams();
  const { data: session, error } = useRecords(['sessions', id], (client) =>
    client.sessions.get(id),
  );
  if (session?.session_id === id) return <SessionPage key={id} session={session} part={part} />;
  if (error) {
    const { message, hint } = troubleOf(error);
    return (
      <Empty icon="question" title={message}>
        {hint}
      </Empty>
    );
  }
  return (
    <div className={styles.loading}>
      <Loading lines={6} label="Loading the session" />
    </div>
  );
}
