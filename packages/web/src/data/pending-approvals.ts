import { useRecords } from './queries.ts';

/**
 * Interval for polling. Approvals usually follow a step, which change notifications report; a chain may also begin with
 * one.
 */
const EVERY_MS = 10_000;

/** Number of chain runs that await approval. */
export function usePendingApprovals(): number {
  const { data } = useRecords(
    ['chainRuns', 'awaiting approval'],
    (client) => client.chainRuns.find({ status: 'awaiting_approval', limit: 1 }),
    { everyMs: EVERY_MS },
  );
  return data?.total ?? 0;
}
