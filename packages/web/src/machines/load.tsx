import { useNow } from '../data/now.ts';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { Figures } from '../design/figures.tsx';
import { count } from '../text/amounts.ts';
import { duration } from '../text/time.ts';
import { POLLED } from './polled.ts';

/** Load of all daemons together. */
export function Load() {
  const status = useRecords(['status'], (client) => client.status.find(), POLLED);
  const daemons = useRecords(['daemons'], (client) => client.daemons.find(), POLLED);
  const now = useNow();
  const alive = daemons.data?.filter(({ alive }) => alive) ?? [];
  const slots = alive.reduce((sum, daemon) => sum + daemon.slots, 0);
  return (
    <QueryResult query={status} lines={2}>
      {({ tasks, slots_in_use, pending_requests, started_at, database, version }) => (
        <Figures
          label="Load"
          figures={[
            {
              label: 'Slots in use',
              value: `${count(slots_in_use)} of ${count(slots)}`,
              about: <progress max={slots || 1} value={slots_in_use} aria-label="Slots in use" />,
            },
            { label: 'Running', value: count(tasks.RUNNING ?? 0) },
            {
              label: 'Needs input',
              value: count(tasks.AWAITING_PERMISSION ?? 0),
              about: pending_requests > 0 && `${count(pending_requests)} asked`,
            },
            { label: 'Queued', value: count(tasks.QUEUED ?? 0) },
            {
              label: 'Daemon',
              value: version,
              about: `${database}${started_at ? `, uptime ${duration(now - Date.parse(started_at))}` : ''}`,
            },
          ]}
        />
      )}
    </QueryResult>
  );
}
