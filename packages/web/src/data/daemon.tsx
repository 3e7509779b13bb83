import type { BatonClient, UserRecord } from '@baton/client';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';

/** The daemon, as seen by the signed-in user. */
export type Daemon = {
  client: BatonClient;
  me: UserRecord;
  /** Whether it answers just now. */
  isUp: boolean;
  signOut: () => void;
  /** To be called when the person may have got another role. */
  lookAtMe: () => void;
  /** Called when the daemon no longer accepts the token. */
  onRefused: () => void;
};

const DaemonContext = createContext<Daemon | undefined>(undefined);

/** Gives everything below it the daemon. */
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

/** Whether the person may do what a role may do. */
export function useMay(role: 'member' | 'owner'): boolean {
  const { me } = useDaemon();
  return me.role === 'owner' || me.role === role;
}
