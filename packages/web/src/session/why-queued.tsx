import { Link } from 'wouter';
import { useRecords } from '../data/queries.ts';
import { some } from '../text/amounts.ts';

/** Why a task does not begin: what is before it in its session or everywhere, and whom that waits for. */
export function WhyQueued({ behind = 0 }: { behind?: number }) {
  const { data } = useRecords(['status'], (client) => client.status.find());
  if (behind > 0) return <span>Waits behind {some(behind, 'task')} of its session.</span>;
  if (!data) return null;
  const { RUNNING = 0, STOPPING = 0, AWAITING_PERMISSION: waiting = 0 } = data.tasks;
  const busy = RUNNING + STOPPING + waiting;
  const { slots } = data;
  if (slots === 0) return <span>No machine here carries out tasks.</span>;
  if (busy < slots) return null;
  return (
    <span>
      Waits for a free place ({slots} of {slots} in use).{' '}
      {waiting > 0 && (
        <>
          {some(waiting, 'task')} {waiting === 1 ? 'waits' : 'wait'} for an answer in the{' '}
          <Link href="/inbox">inbox</Link>.
        </>
      )}
    </span>
  );
}
