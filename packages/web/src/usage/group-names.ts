import { showUnseenInText } from '@baton/protocol';
import { useRecords } from '../data/queries.ts';
import { AMOUNTS, type Amount, type Grouping } from './measures.ts';

/** Returns a function for the names of groups: those of agents, sessions and users instead of their ids. */
export function useNames(grouping: Grouping): (key: string | null) => string {
  const { id } = grouping;
  const { data: backends } = useRecords(['backends'], (client) => client.backends.find(), {
    enabled: id === 'backend',
  });
  const { data: users } = useRecords(['users'], (client) => client.users.find(), {
    enabled: id === 'user',
  });
  const { data: sessions } = useRecords(
    ['sessions', 'names'],
    (client) => client.sessions.find({ limit: 200 }),
    { enabled: id === 'session' },
  );
  return (key) => {
    if (key === null) return grouping.none;
    if (id === 'backend') return backends?.find((each) => each.id === key)?.label ?? key;
    if (id === 'user') return users?.find(({ user_id }) => user_id === key)?.name ?? key;
    if (id === 'outcome') return AMOUNTS[key as Amount]?.label ?? key;
    if (id !== 'session') return key;
    const found = sessions?.data.find(({ session_id }) => session_id === key);
    return showUnseenInText(found?.title || key);
  };
}
