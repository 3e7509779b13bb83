import type { PendingRecord } from '@baton/client';
import { Link } from 'wouter';
import { useAgentName } from '../agents/agent-name.ts';
import { useMay } from '../data/daemon.tsx';
import { useNow } from '../data/now.ts';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { requestKey } from '../data/request-key.ts';
import { Empty } from '../design/empty.tsx';
import { PageFrame } from '../design/page-frame.tsx';
import { RequestCard } from '../requests/request-card.tsx';
import { useTitle } from '../shell/attention.ts';
import { folderName } from '../text/folder-name.ts';
import { sessionTitle } from '../text/session-title.ts';
import { timeAgo } from '../text/time.ts';
import styles from './inbox.module.css';

const MOST = 100;

/** Everything that waits for a person, over all sessions, what waits longest first. */
export function Inbox() {
  useTitle('Inbox');
  const query = useRecords(['permissions', 'inbox'], (client) =>
    client.permissions.find({ status: 'pending', limit: MOST }),
  );
  return (
    <PageFrame title="Inbox" about="Requests that need your response, across all sessions.">
      <QueryResult query={query}>{({ data }) => <List records={data} />}</QueryResult>
    </PageFrame>
  );
}

function List({ records }: { records: readonly PendingRecord[] }) {
  const may = useMay('member');
  if (records.length === 0) {
    return (
      <Empty icon="check" title={may ? 'You’re all caught up' : 'No pending requests'}>
        Permission requests and questions from agents show up here.
      </Empty>
    );
  }
  return (
    <ul className={styles.list} data-focus-home="[tabindex]">
      {records.map((record) => (
        <li key={requestKey(record)}>
          <Waiting record={record} />
        </li>
      ))}
    </ul>
  );
}

function Waiting({ record }: { record: PendingRecord }) {
  const { session_id, asked_at } = record;
  const now = useNow();
  const agentName = useAgentName();
  const { data: session } = useRecords(['sessions', session_id], (client) =>
    client.sessions.get(session_id),
  );
  return (
    <article className={styles.waiting}>
      <header className={styles.head}>
        <Link href={`/sessions/${session_id}`} className={styles.session} dir="auto">
          {session ? sessionTitle({ ...session, cwd: folderName(session.cwd) }) : 'View session'}
        </Link>
        <span className={styles.about}>
          {session && `${agentName(session.backend)} in ${folderName(session.cwd)}, `}
          asked {timeAgo(asked_at, now)}
        </span>
      </header>
      <RequestCard asked={record} session={session} />
    </article>
  );
}
