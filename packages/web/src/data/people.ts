import { useDaemon } from './daemon.tsx';
import { useRecords } from './queries.ts';

/** For people without a name, within a sentence and at its beginning. */
const WORDS = {
  within: { me: 'you', unknown: 'someone else' },
  first: { me: 'You', unknown: 'Someone else' },
} as const;

/** Gives the name of a user by the id, as it is. */
export function usePeople(
  place: keyof typeof WORDS = 'within',
): (userId: string | null | undefined) => string | undefined {
  const { me } = useDaemon();
  const { data } = useRecords(['users', 'names'], (client) => client.users.find());
  return (userId) => {
    if (!userId) return undefined;
    if (userId === me.user_id) return WORDS[place].me;
    return data?.find(({ user_id }) => user_id === userId)?.name ?? WORDS[place].unknown;
  };
}
