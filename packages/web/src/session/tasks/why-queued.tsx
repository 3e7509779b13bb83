import { Link } from 'wouter';
import { useRecords } from '../../data/queries.ts';
import { some } from '../../text/amounts.ts';

type Place = {
  /** Number of tasks ahead of it in its session. */
  behind?: number;
  /** True if the queue of its session is paused. */
  isPaused?: boolean;
};

/** The reason why a task is queued: its session, or else the block of the whole queue. */
export function WhyQueued({ behind = 0, isPaused = false }: Place) {
  if (isPaused) return <span>Queue paused</span>;
  if (behind > 0) return <span>Queued behind {some(behind, 'task')} in this session</span>;
  return <QueueBlock />;
}

/** The reason why no queued task can start; empty if one can. */
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
