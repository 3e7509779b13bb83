import type { BatonError } from '@baton/protocol';
import { attempt } from '../data/attempt.ts';
import { useRecords } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Trouble } from '../design/trouble.tsx';
import { POLLED } from '../machines/polled.ts';
import { mayRunRemotely } from './may-run-remotely.ts';
import styles from './no-folder.module.css';

type Props = { id: string; error: BatonError; onMake: () => Promise<unknown>; onTrust: () => void };

/** Shows the error of a folder and the actions that fix it. */
export function NoFolder({ id, error, onMake, onTrust }: Props) {
  const isElsewhere = useMayBeElsewhere();
  return (
    <div className={styles.place}>
      <div id={id}>
        <Trouble message={error.message} hint={error.hint} />
      </div>
      {error.code !== 'usage' && (
        <div className={styles.ways}>
          {error.code === 'not_found' && (
            <Button small icon="add" onClick={() => attempt(onMake)}>
              Create folder
            </Button>
          )}
          {isElsewhere && (
            <Button small look="quiet" icon="machine" onClick={onTrust}>
              It’s on another machine
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function useMayBeElsewhere(): boolean {
  const { data: status } = useRecords(['status'], (client) => client.status.find());
  const { data: daemons } = useRecords(['daemons'], (client) => client.daemons.find(), POLLED);
  const { data: executors } = useRecords(
    ['executors'],
    (client) => client.executors.find(),
    POLLED,
  );
  return Boolean(status && daemons && executors && mayRunRemotely(status, daemons, executors));
}
