import { Answered } from '../data/answered.tsx';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { useRecords } from '../data/queries.ts';
import { PageFrame } from '../design/page-frame.tsx';
import { useTitle } from '../shell/attention.ts';
import { AgentsFound } from './agents-found.tsx';
import { NewTask } from './new-task.tsx';

const MOST_SESSIONS = 50;

/** Where a task begins, and where people see what they can begin with. */
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
      title={mayAct ? 'What shall be done?' : 'Welcome'}
      about={mayAct ? undefined : 'You can look at everything; members and owners give tasks.'}
    >
      <Answered query={backends}>
        {(agents) => (
          <>
            {mayAct && sessions.data && (
              <NewTask backends={agents} recent={foldersOf(sessions.data.data, me.user_id)} />
            )}
            <AgentsFound backends={agents} />
          </>
        )}
      </Answered>
    </PageFrame>
  );
}

/** The folders of sessions, those of this person first: the first one is where the next task probably is. */
function foldersOf(
  sessions: readonly { cwd: string; created_by: string | null }[],
  me: string,
): string[] {
  const own = sessions.filter(({ created_by }) => created_by === me);
  return [...new Set([...own, ...sessions].map(({ cwd }) => cwd))];
}
