import type { BatonClient } from '@baton/client';
import type { SessionRecord } from '@baton/protocol';
import { useRecords } from '../data/queries.ts';
import { Empty } from '../design/empty.tsx';
import { useSession } from './open-session.tsx';
import styles from './session.module.css';

type Origin = NonNullable<SessionRecord['forked_from']>;

/** Says what to do in a session without a prompt. */
export function NothingYet() {
  const { forked_from: origin } = useSession();
  return (
    <div className={styles.empty}>
      {origin ? (
        <Forked origin={origin} />
      ) : (
        <Empty icon="send" title="Nothing has happened here yet.">
          Write below what shall be done.
        </Empty>
      )}
    </div>
  );
}

function Forked({ origin }: { origin: Origin }) {
  const { sessionId, cursor } = origin;
  const { data: isAnew, isError } = useRecords(
    ['sessions', sessionId, 'before', cursor],
    (client) => isFromTheBeginning(client, origin),
  );
  if (isAnew === undefined && !isError) return null;
  if (isAnew) {
    return (
      <Empty icon="fork" title="A fresh start.">
        This copy begins before the first prompt, so the agent knows nothing yet. Write below what
        shall be done.
      </Empty>
    );
  }
  return (
    <Empty icon="fork" title="This goes on from another session.">
      The agent is told what happened there. Write below what shall be done next.
    </Empty>
  );
}

/** Whether the copy ends before the first prompt of a session. */
async function isFromTheBeginning(
  client: BatonClient,
  { sessionId, cursor }: Origin,
): Promise<boolean> {
  const [session, tasks] = await Promise.all([
    client.sessions.get(sessionId),
    client.tasks.find({ session_id: sessionId, sort: 'oldest', limit: 1, brief: true }),
  ]);
  const happened = tasks.data.some(({ position }) => position <= cursor);
  if (happened || !session.forked_from) return !happened;
  return isFromTheBeginning(client, session.forked_from);
}
