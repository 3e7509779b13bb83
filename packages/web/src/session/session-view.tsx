import { BatonError } from '@baton/protocol';
import { useParams } from 'wouter';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { Empty, Loading } from '../design/empty.tsx';
import { FallbackLinks } from '../shell/fallback-links.tsx';
import styles from './session.module.css';
import { SessionPage } from './session-page.tsx';

/** One session: what happened in it, and what can be done with it. */
export function SessionView() {
  const { id = '', part } = useParams();
  const query = useRecords(['sessions', id], (client) => client.sessions.get(id));
  const { data: session } = query;
  if (session?.session_id === id) return <SessionPage key={id} session={session} part={part} />;
  const { error } = query;
  if (BatonError.is(error) && error.code === 'not_found') {
    return (
      <Empty icon="question" title={error.message} actions={<FallbackLinks />}>
        It may have been deleted, or the URL is incomplete.
      </Empty>
    );
  }
  return (
    <div className={styles.loading}>
      <QueryResult query={query} lines={6}>
        {() => <Loading lines={6} label="Loading session" />}
      </QueryResult>
    </div>
  );
}
