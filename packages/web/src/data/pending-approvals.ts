import { useRecords } from './queries.ts';

/** Approvals usually follow a step, which the news tell of; a chain may also begin with one. */
const EVERY_MS = 10_000;

/** How many chain runs wait for an approval. */
export function usePendingApprovals(): number {
  const { data } = useRecords(
    ['chainRuns', 'awaiting approval'],
    (client) => client.chainRuns.find({ status: 'awaiting_approval', limit: 1 }),
    { everyMs: EVERY_MS },
  );
  return data?.total ?? 0;
}
