import { Link } from 'wouter';
import { useRecords } from '../data/queries.ts';
import { some } from '../text/amounts.ts';

/** Why a task does not begin: what is before it, and whom that waits for. */
export function WhyQueued() {
  const { data } = useRecords(['status'], (client) => client.status.find());
  if (!data) return null;
  const { RUNNING = 0, STOPPING = 0, AWAITING_PERMISSION: waiting = 0 } = data.tasks;
  const busy = RUNNING + STOPPING + waiting;
  if (data.slots === 0) return <span>No machine here carries out tasks.</span>;
  if (busy < data.slots) return null;
  return (
    <span>
      All {some(data.slots, 'place')} are taken.{' '}
      {waiting > 0 && (
        <>
          {some(waiting, 'task')} {waiting === 1 ? 'waits' : 'wait'} for an answer in the{' '}
          <Link href="/inbox">inbox</Link>.
        </>
      )}
    </span>
  );
}
