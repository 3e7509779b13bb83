import type { BatonClient, UserRecord } from '@baton/client';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';

/** The daemon, as somebody who is signed in sees it. */
export type Daemon = {
  client: BatonClient;
  me: UserRecord;
  /** Whether it answers just now. */
  isUp: boolean;
  signOut: () => void;
  /** To be called when the person may have got another role. */
  lookAtMe: () => void;
  /** To be called when the daemon does not accept the token any more. */
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
  if (!daemon) throw new Error('This view needs a daemon around it.');
  return daemon;
}

/** Whether the person may do what a role may do. */
export function useMay(role: 'member' | 'owner'): boolean {
  const { me } = useDaemon();
  return me.role === 'owner' || me.role === role;
}
