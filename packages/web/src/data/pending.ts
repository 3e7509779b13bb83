import { useMay } from './daemon.tsx';
import { useRecords } from './queries.ts';

/** Number of pending requests in all sessions. */
export function usePending(): number {
  const { data } = useRecords(['permissions', 'count'], (client) =>
    client.permissions.find({ status: 'pending', limit: 1 }),
  );
  return data?.total ?? 0;
}

/** Label of this number for screen readers. */
export function usePendingWords(): string {
  return useMay('member') ? 'need your input' : 'awaiting a response';
}
