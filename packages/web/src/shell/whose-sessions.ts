import { useSyncExternalStore } from 'react';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { useRecords } from '../data/queries.ts';
import { StoredChoice } from '../data/stored-choice.ts';

/** Whose sessions somebody sees first. */
export type Whose = 'mine' | 'all';

const choice = new StoredChoice('baton.recent-sessions');
const chosen = (): Whose => (choice.get() === 'all' ? 'all' : 'mine');

/** Chooses whose sessions this browser shows at the side. */
export function chooseWhose(whose: Whose): void {
  choice.set(whose === 'all' ? whose : undefined);
}

/** Whose sessions are shown at the side; nothing as long as nobody knows, and no choice for those who are alone or only look. */
export function useWhose(): { whose: Whose | undefined; isChoice: boolean } {
  const { me } = useDaemon();
  const mayAct = useMay('member');
  const whose = useSyncExternalStore(choice.subscribe, chosen);
  const { data: users, error } = useRecords(['users', 'names'], (client) => client.users.find());
  // Who cannot begin a session has none.
  if (!mayAct) return { whose: 'all', isChoice: false };
  if (!users && !error) return { whose: undefined, isChoice: false };
  const isAlone = !users?.some(({ user_id }) => user_id !== me.user_id);
  return { whose: isAlone ? 'all' : whose, isChoice: !isAlone };
}
