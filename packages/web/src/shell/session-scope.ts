import { useSyncExternalStore } from 'react';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { useRecords } from '../data/queries.ts';
import { StoredChoice } from '../data/stored-choice.ts';

/** Sessions in the sidebar: the user's own, or all. */
type SessionScope = 'mine' | 'all';

const choice = new StoredChoice('baton.recent-sessions');
const chosen = (): SessionScope => (choice.get() === 'all' ? 'all' : 'mine');

/** Saves the choice for this browser. */
export function chooseSessionScope(whose: SessionScope): void {
  choice.set(whose === 'all' ? whose : undefined);
}

/**
 * The selected scope of the sidebar; undefined while the users load. There is no choice for a single user or a viewer.
 */
export function useSessionScope(): { whose: SessionScope | undefined; isChoice: boolean } {
  const { me } = useDaemon();
  const mayAct = useMay('member');
  const whose = useSyncExternalStore(choice.subscribe, chosen);
  const { data: users, error } = useRecords(['users', 'names'], (client) => client.users.find());
  // A viewer has no own sessions.
  if (!mayAct) return { whose: 'all', isChoice: false };
  if (!users && !error) return { whose: undefined, isChoice: false };
  const isAlone = !users?.some(({ user_id }) => user_id !== me.user_id);
  return { whose: isAlone ? 'all' : whose, isChoice: !isAlone };
}
