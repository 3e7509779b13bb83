import { useMay } from './daemon.tsx';
import { useRecords } from './queries.ts';

/** How many requests wait for a person, over all sessions. */
export function usePending(): number {
  const { data } = useRecords(['permissions', 'count'], (client) =>
    client.permissions.find({ status: 'pending', limit: 1 }),
  );
  return data?.total ?? 0;
}

/** Whom these requests wait for, for people who do not see where the number stands. */
export function usePendingWords(): string {
  return useMay('member') ? 'need your input' : 'awaiting a response';
}
