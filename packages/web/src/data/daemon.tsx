import type { BatonClient, UserRecord } from '@baton/client';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';

/** The daemon, as seen by the signed-in user. */
export type Daemon = {
  client: BatonClient;
  me: UserRecord;
  /** True while the daemon is reachable. */
  isUp: boolean;
  signOut: () => void;
  /** Reloads the current user, whose role may have changed. */
  lookAtMe: () => void;
  /** Called when the daemon no longer accepts the token. */
  onRefused: () => void;
};

const DaemonContext = createContext<Daemon | undefined>(undefined);

/** Provides the daemon to the components below it. */
export function DaemonProvider({
  client,
  me,
  signOut,
  lookAtMe,
  onRefused,
  children,
}: Omit<Daemon, 'isUp'> & { children: ReactNode }) {
  const [isUp, setUp] = useState(true);
  useEffect(() => client.connection.watch(setUp), [client]);
  const daemon = useMemo(
    () => ({ client, me, isUp, signOut, lookAtMe, onRefused }),
    [client, me, isUp, signOut, lookAtMe, onRefused],
  );
  return <DaemonContext value={daemon}>{children}</DaemonContext>;
}

/** The daemon that this page belongs to. */
export function useDaemon(): Daemon {
  const daemon = useContext(DaemonContext);
  if (!daemon) throw new Error('useDaemon must be used inside a DaemonProvider.');
  return daemon;
}

/** True if the user has the permissions of a role. */
export function useMay(role: 'member' | 'owner'): boolean {
  const { me } = useDaemon();
  return me.role === 'owner' || me.role === role;
}
