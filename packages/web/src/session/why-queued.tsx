import { Link } from 'wouter';
import { useRecords } from '../data/queries.ts';
import { some } from '../text/amounts.ts';

type Place = {
  /** How many tasks of its session come before it. */
  behind?: number;
  /** Whether the queue of its session is paused. */
  isPaused?: boolean;
};

/** Why a task is queued: by its session, or else by what blocks the whole queue. */
export function WhyQueued({ behind = 0, isPaused = false }: Place) {
  if (isPaused) return <span>Queue paused</span>;
  if (behind > 0) return <span>Queued behind {some(behind, 'task')} in this session</span>;
  return <QueueBlock />;
}

/** Why no queued task can start; nothing while one can. */
export function QueueBlock() {
  const { data } = useRecords(['status'], (client) => client.status.find());
  const block = data?.queue_block;
  if (!block) return null;
  return (
    <span>
      {block.message}
      {block.code === 'needs_input' && (
        <>
          {' '}
          <Link href="/inbox">Open the inbox</Link>
        </>
      )}
    </span>
  );
}
