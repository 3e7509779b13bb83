import { useDaemon } from './daemon.tsx';
import { useRecords } from './queries.ts';

/** Gives the name of a user by the id. */
export function usePeople(): (userId: string | null | undefined) => string | undefined {
  const { me } = useDaemon();
  const { data } = useRecords(['users', 'names'], (client) => client.users.find());
  return (userId) => {
    if (!userId) return undefined;
    if (userId === me.user_id) return 'you';
    return data?.find(({ user_id }) => user_id === userId)?.name ?? 'somebody else';
  };
}
