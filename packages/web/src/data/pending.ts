import { useRecords } from './queries.ts';

/** How many requests wait for a person, over all sessions. */
export function usePending(): number {
  const { data } = useRecords(['permissions', 'count'], (client) =>
    client.permissions.find({ status: 'pending', limit: 1 }),
  );
  return data?.total ?? 0;
}
