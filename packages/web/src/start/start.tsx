import { useDaemon, useMay } from '../data/daemon.tsx';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { PageFrame } from '../design/page-frame.tsx';
import { useTitle } from '../shell/attention.ts';
import { AgentsFound } from './agents-found.tsx';
import { NewTask } from './new-task.tsx';

const MOST_SESSIONS = 50;

/** The start page: the form for a new task, and the agents on this machine. */
export function Start() {
  const { me } = useDaemon();
  const mayAct = useMay('member');
  useTitle(mayAct ? 'New task' : 'Welcome');
  const backends = useRecords(['backends'], (client) => client.backends.find(), {
    onReturn: true,
  });
  const sessions = useRecords(['sessions', 'start'], (client) =>
    client.sessions.find({ limit: MOST_SESSIONS }),
  );
  return (
    <PageFrame
      title={mayAct ? 'What should the agent do?' : 'Welcome'}
      about={mayAct ? undefined : 'You have read-only access. Members and owners can create tasks.'}
    >
      <QueryResult query={backends}>
        {(agents) => (
          <>
            {mayAct && sessions.data && (
              <NewTask backends={agents} recent={foldersOf(sessions.data.data, me.user_id)} />
            )}
            <AgentsFound backends={agents} />
          </>
        )}
      </QueryResult>
    </PageFrame>
  );
}

/**
 * The folders of sessions, those of the current user first: the first one is the most likely folder of the next task.
 */
function foldersOf(
  sessions: readonly { cwd: string; created_by: string | null }[],
  me: string,
): string[] {
  const own = sessions.filter(({ created_by }) => created_by === me);
  return [...new Set([...own, ...sessions].map(({ cwd }) => cwd))];
}
