import type { SessionRecord } from '@baton/protocol';
import { useState } from 'react';
import { useAgentName } from '../../agents/agent-name.ts';
import { Answered } from '../../data/answered.tsx';
import { attempt } from '../../data/attempt.ts';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { useNow } from '../../data/now.ts';
import { makeStale, useRecords } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { ClampedLink } from '../../design/clamped-link.tsx';
import { Empty } from '../../design/empty.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Row, Rows } from '../../design/rows.tsx';
import { cost } from '../../text/amounts.ts';
import { timeAgo } from '../../text/time.ts';

const PAGE = 50;

/** The sessions that were put aside. */
export function Archive() {
  const [limit, setLimit] = useState(PAGE);
  const query = useRecords(['sessions', 'archived', limit], (client) =>
    client.sessions.find({ archived: true, limit }),
  );
  return (
    <Section title="Archive" about="Sessions that were put aside; all that is in them is kept.">
      <Answered query={query}>
        {({ data, total }) => (
          <>
            <Rows
              label="Archived sessions"
              empty={
                <Empty icon="archive" title="The archive is empty">
                  A session that is over can be archived from the board.
                </Empty>
              }
            >
              {data.map((session) => (
                <Archived key={session.session_id} session={session} />
              ))}
            </Rows>
            {total > data.length && (
              <Button onClick={() => setLimit(limit + PAGE)}>Show more</Button>
            )}
          </>
        )}
      </Answered>
    </Section>
  );
}

function Archived({ session }: { session: SessionRecord }) {
  const { client } = useDaemon();
  const mayAct = useMay('member');
  const now = useNow();
  const agentName = useAgentName();
  const { session_id, title, cwd, backend, updated_at, cost_usd } = session;
  const takeOut = () =>
    attempt(async () => {
      await client.sessions.patch(session_id, { archived: false });
      makeStale('sessions', 'tasks');
    });
  return (
    <Row
      title={
        <ClampedLink href={`/sessions/${session_id}`} lines={2}>
          {title || cwd}
        </ClampedLink>
      }
      facts={[cwd, agentName(backend), timeAgo(updated_at, now), cost_usd > 0 && cost(cost_usd)]}
      actions={
        mayAct && (
          <Button small onClick={takeOut} aria-label={`Unarchive ${title}`}>
            Unarchive
          </Button>
        )
      }
    />
  );
}
