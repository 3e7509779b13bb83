import { BatonError } from '@baton/protocol';
import { useParams } from 'wouter';
import { Answered } from '../data/answered.tsx';
import { useRecords } from '../data/queries.ts';
import { Empty, Loading } from '../design/empty.tsx';
import { WaysOn } from '../shell/ways-on.tsx';
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
      <Empty icon="question" title={error.message} actions={<WaysOn />}>
        It may have been removed, or its address is not complete.
      </Empty>
    );
  }
  return (
    <div className={styles.loading}>
      <Answered query={query} lines={6}>
        {() => <Loading lines={6} label="Loading the session" />}
      </Answered>
    </div>
  );
}
