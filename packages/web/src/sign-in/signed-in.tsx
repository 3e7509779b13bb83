import { BatonClient, Pauses, type UserRecord } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { troubleOf } from '../data/attempt.ts';
import { DaemonProvider } from '../data/daemon.tsx';
import {
  announceSignOut,
  forgetToken,
  keepToken,
  keptToken,
  onLoginEnded,
  takeLinkSecret,
} from '../data/login.ts';
import { queryClient } from '../data/queries.ts';
import { Empty } from '../design/empty.tsx';
import { forgetDrafts, takeDrafts } from './own-drafts.ts';
import { SignIn } from './sign-in.tsx';

type Visit =
  /** On the way in; with a problem when that takes longer than it should. */
  | { state: 'coming'; problem?: string | undefined }
  | { state: 'outside'; problem?: string | undefined }
  | { state: 'in'; me: UserRecord };

const SIGNED_OUT = 'You were signed out.';

/** Shows what is in it to whoever is signed in, and to others how to sign in. */
export function SignedIn({ children }: { children: ReactNode }) {
  // Of this tab: the browser may keep another one, when somebody signs in elsewhere.
  const token = useRef(keptToken());
  const client = useMemo(() => new BatonClient({ url: location.origin, token: token.current }), []);
  const me = useRef<UserRecord>(undefined);
  const [visit, setVisit] = useState<Visit>({ state: 'coming' });

  const enter = useCallback(
    async (given?: string) => {
      if (given !== undefined) {
        token.current = given;
        keepToken(given);
        client.connection.showToken(given);
      }
      const now = await client.users.me();
      me.current = now;
      takeDrafts(now.user_id);
      setVisit({ state: 'in', me: now });
    },
    [client],
  );
  const close = useCallback((problem?: string) => {
    token.current = undefined;
    me.current = undefined;
    queryClient.clear();
    setVisit({ state: 'outside', problem });
  }, []);
  const leave = useCallback(
    (problem?: string) => {
      forgetToken(token.current);
      close(problem);
    },
    [close],
  );
  const signOut = useCallback(() => {
    client.authentication.remove().catch(() => {});
    if (token.current !== undefined) announceSignOut(token.current);
    leave();
    forgetDrafts();
  }, [client, leave]);
  const lookAtMe = useCallback(async () => {
    // Whether somebody is still let in is seen by everything else that is asked.
    const now = await client.users.me().catch(() => undefined);
    const before = me.current;
    if (!now || now.user_id !== before?.user_id) return;
    if (JSON.stringify(now) === JSON.stringify(before)) return;
    me.current = now;
    setVisit({ state: 'in', me: now });
    // With another role other things can be asked.
    queryClient.invalidateQueries();
  }, [client]);
  const onRefused = useCallback(() => leave(SIGNED_OUT), [leave]);

  useEffect(() => {
    const gone = new AbortController();
    const pauses = new Pauses(gone.signal);
    const come = () =>
      begin(client, token.current, enter).catch(async (error: unknown) => {
        const { message } = troubleOf(error);
        if (isRefused(error)) return leave(token.current === undefined ? message : SIGNED_OUT);
        // Only a daemon that says no ends a login; any other trouble may pass.
        setVisit({ state: 'coming', problem: message });
        await pauses.next();
        if (!gone.signal.aborted) come();
      });
    come();
    return () => gone.abort();
  }, [client, enter, leave]);
  // Who signs out in one tab does so in all of them; a token that was refused in one is of no use in the others.
  useEffect(() => {
    return onLoginEnded((how, ended) => {
      if (token.current === undefined || (ended !== null && ended !== token.current)) return;
      close(how === 'forgotten' ? SIGNED_OUT : undefined);
      if (how === 'signed out') forgetDrafts();
    });
  }, [close]);
  // A token can be taken back at any time; then nothing here may be seen any more.
  useEffect(() => {
    return queryClient.getQueryCache().subscribe(({ query }) => {
      if (isRefused(query.state.error)) onRefused();
    });
  }, [onRefused]);

  if (visit.state === 'coming') return visit.problem ? <Waiting problem={visit.problem} /> : null;
  if (visit.state === 'outside') {
    return <SignIn client={client} problem={visit.problem || undefined} onToken={enter} />;
  }
  return (
    <DaemonProvider {...{ client, signOut, lookAtMe, onRefused }} me={visit.me}>
      {children}
    </DaemonProvider>
  );
}

function Waiting({ problem }: { problem: string }) {
  return (
    <Empty icon="warning" title={problem}>
      It is tried again until it works.
    </Empty>
  );
}

/** A link signs in, also when somebody else is signed in already; without one the kept token does. */
async function begin(
  client: BatonClient,
  kept: string | undefined,
  enter: (token?: string) => Promise<void>,
): Promise<void> {
  const secret = takeLinkSecret();
  try {
    if (secret !== undefined) {
      const { accessToken } = await client.authentication.withLink(secret);
      return await enter(accessToken);
    }
  } catch (error) {
    // Who opens a used link again, and is signed in, just goes on.
    if (kept === undefined) throw error;
  }
  if (kept === undefined) throw new BatonError('unauthenticated', '');
  await enter();
}

function isRefused(error: unknown): boolean {
  return BatonError.is(error) && error.code === 'unauthenticated';
}
