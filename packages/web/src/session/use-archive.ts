import { attempt } from '../data/attempt.ts';
import { useDaemon } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { useSession } from './feed/open-session.tsx';

/** Puts the session into the archive, or takes it out of there. */
export function useArchive(): () => Promise<boolean> {
  const { client } = useDaemon();
  const { session_id, archived } = useSession();
  return () =>
    attempt(async () => {
      await client.sessions.patch(session_id, { archived: !archived });
      makeStale('sessions', 'tasks');
    });
}
