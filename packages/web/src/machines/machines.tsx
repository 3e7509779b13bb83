import { PageFrame } from '../design/page-frame.tsx';
import { useTitle } from '../shell/attention.ts';
import { Daemons } from './daemons.tsx';
import { Executors } from './executors.tsx';
import { Load } from './load.tsx';
import { QueuedTasks } from './queued-tasks.tsx';

/** Where agents run, how much there is to do, and what waits for its turn. */
export function Machines() {
  useTitle('Machines');
  return (
    <PageFrame title="Machines">
      <Load />
      <Executors />
      <QueuedTasks />
      <Daemons />
    </PageFrame>
  );
}
