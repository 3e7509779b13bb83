import type { SessionRecord } from '@baton/protocol';
import { useState } from 'react';
import { useAgentName } from '../../agents/agent-name.ts';
import { attempt } from '../../data/attempt.ts';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { useNow } from '../../data/now.ts';
import { makeStale, useRecords } from '../../data/queries.ts';
import { RecordList } from '../../data/record-list.tsx';
import { Button } from '../../design/button.tsx';
import { ClampedLink } from '../../design/clamped-link.tsx';
import { Empty } from '../../design/empty.tsx';
import { Row } from '../../design/rows.tsx';
import { cost } from '../../text/amounts.ts';
import { sessionTitle } from '../../text/session-title.ts';
import { timeAgo } from '../../text/time.ts';

const PAGE = 50;

/** The archived sessions. */
export function Archive() {
  const [limit, setLimit] = useState(PAGE);
  const query = useRecords(['sessions', 'archived', limit], (client) =>
    client.sessions.find({ archived: true, limit }),
  );
  return (
    <RecordList
      title="Archive"
      about="Archived sessions. Nothing is deleted."
      label="Archived sessions"
      query={query}
      onMore={() => setLimit(limit + PAGE)}
      empty={
        <Empty icon="archive" title="The archive is empty">
          Archive finished sessions from the board or the session menu.
        </Empty>
      }
    >
      {(session) => <Archived key={session.session_id} session={session} />}
    </RecordList>
  );
}

function Archived({ session }: { session: SessionRecord }) {
  const { client } = useDaemon();
  const mayAct = useMay('member');
  const now = useNow();
  const agentName = useAgentName();
  const { session_id, cwd, backend, updated_at, cost_usd, cost_estimated } = session;
  const shown = sessionTitle(session);
  const takeOut = () =>
    attempt(async () => {
      await client.sessions.patch(session_id, { archived: false });
      makeStale('sessions', 'tasks');
    });
  return (
    <Row
      title={
        <ClampedLink href={`/sessions/${session_id}`} lines={2}>
          {shown}
        </ClampedLink>
      }
      facts={[
        cwd,
        agentName(backend),
        timeAgo(updated_at, now),
        cost_usd > 0 && cost(cost_usd, { isEstimated: cost_estimated }),
      ]}
      actions={
        mayAct && (
          <Button small onClick={takeOut} aria-label={`Unarchive ${shown}`}>
            Unarchive
          </Button>
        )
      }
    />
  );
}
