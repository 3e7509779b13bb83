import { Answered } from '../data/answered.tsx';
import { useMay } from '../data/daemon.tsx';
import { useRecords } from '../data/queries.ts';
import { PageFrame } from '../design/page-frame.tsx';
import { useTitle } from '../shell/attention.ts';
import { AgentsFound } from './agents-found.tsx';
import { NewTask } from './new-task.tsx';

const MOST_SESSIONS = 50;

/** Where a task begins, and where people see what they can begin with. */
export function Start() {
  useTitle('New task');
  const mayAct = useMay('member');
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
              <NewTask
                backends={agents}
                recent={[...new Set(sessions.data.data.map(({ cwd }) => cwd))]}
              />
            )}
            <AgentsFound backends={agents} />
          </>
        )}
      </Answered>
    </PageFrame>
  );
}
