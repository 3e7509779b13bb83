import { PageFrame } from '../design/page-frame.tsx';
import { useTitle } from '../shell/attention.ts';
import { Daemons } from './daemons.tsx';
import { Executors } from './executors.tsx';
import { Load } from './load.tsx';
import { QueuedTasks } from './queued-tasks.tsx';

/** The view with executors, the queue and daemons. */
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
