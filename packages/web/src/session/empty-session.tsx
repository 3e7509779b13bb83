import type { BatonClient } from '@baton/client';
import type { SessionRecord } from '@baton/protocol';
import { useRecords } from '../data/queries.ts';
import { Empty } from '../design/empty.tsx';
import { useSession } from './feed/open-session.tsx';
import styles from './session.module.css';

type Origin = NonNullable<SessionRecord['forked_from']>;

/** The empty state of a session without a prompt. */
export function EmptySession() {
  const { forked_from: origin } = useSession();
  return (
    <div className={styles.empty}>
      {origin ? (
        <Forked origin={origin} />
      ) : (
        <Empty icon="send" title="No messages yet">
          Send a prompt to get started.
        </Empty>
      )}
    </div>
  );
}

function Forked({ origin }: { origin: Origin }) {
  const { session_id, cursor } = origin;
  const { data: isAnew, isError } = useRecords(
    ['sessions', session_id, 'before', cursor],
    (client) => isFromTheBeginning(client, origin),
  );
  if (isAnew === undefined && !isError) return null;
  if (isAnew) {
    return (
      <Empty icon="fork" title="New session">
        This fork starts before the first prompt, so the agent has no context yet.
      </Empty>
    );
  }
  return (
    <Empty icon="fork" title="Forked session">
      The agent has the context of the original session. Send a prompt to continue.
    </Empty>
  );
}

/** True if the fork contains no prompt: it ends before the first one. */
async function isFromTheBeginning(
  client: BatonClient,
  { session_id, cursor }: Origin,
): Promise<boolean> {
  const [session, tasks] = await Promise.all([
    client.sessions.get(session_id),
    client.tasks.find({ session_id, sort: 'oldest', limit: 1 }),
  ]);
  const happened = tasks.data.some(({ position }) => position <= cursor);
  if (happened || !session.forked_from) return !happened;
  return isFromTheBeginning(client, session.forked_from);
}
