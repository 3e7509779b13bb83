import { BatonClient, RECONNECT_BACKOFF, type UserRecord } from '@baton/client';
import { Backoff, BatonError } from '@baton/protocol';
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
  /** Signing in; with an error if that takes longer than it should. */
  | { state: 'coming'; problem?: string | undefined }
  | { state: 'outside'; problem?: string | undefined }
  | { state: 'in'; me: UserRecord };

const SIGNED_OUT = 'You were signed out.';

/** Shows its children to a signed-in user, and the sign-in view to anybody else. */
export function SignedIn({ children }: { children: ReactNode }) {
  // The token of this tab: the stored one may differ after a sign-in in another tab.
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
    // Other calls detect whether the token is still valid.
    const now = await client.users.me().catch(() => undefined);
    const before = me.current;
    if (!now || now.user_id !== before?.user_id) return;
    if (JSON.stringify(now) === JSON.stringify(before)) return;
    me.current = now;
    setVisit({ state: 'in', me: now });
    // Another role permits other queries.
    void queryClient.invalidateQueries();
  }, [client]);
  const onRefused = useCallback(() => leave(SIGNED_OUT), [leave]);

  useEffect(() => {
    const gone = new AbortController();
    const backoff = new Backoff({ ...RECONNECT_BACKOFF, signal: gone.signal });
    const come = () =>
      begin(client, token.current, enter).catch(async (error: unknown) => {
        const { message } = troubleOf(error);
        if (isRefused(error)) return leave(token.current === undefined ? message : SIGNED_OUT);
        // Only a rejection by the daemon ends a login; other errors may be transient.
        setVisit({ state: 'coming', problem: message });
        await backoff.wait();
        if (!gone.signal.aborted) void come();
      });
    void come();
    return () => gone.abort();
  }, [client, enter, leave]);
  // Signing out, or a rejected token, in one tab applies to all tabs.
  useEffect(() => {
    return onLoginEnded((how, ended) => {
      if (token.current === undefined || (ended !== null && ended !== token.current)) return;
      close(how === 'forgotten' ? SIGNED_OUT : undefined);
      if (how === 'signed out') forgetDrafts();
    });
  }, [close]);
  // A token can be revoked at any time; then nothing may stay visible.
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
      Retrying…
    </Empty>
  );
}

/** A link signs in, even if another user is signed in; without one, the stored token is used. */
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
    // Opening a used link again while signed in has no effect.
    if (kept === undefined) throw error;
  }
  if (kept === undefined) throw new BatonError('unauthenticated', '');
  await enter();
}

function isRefused(error: unknown): boolean {
  return BatonError.is(error) && error.code === 'unauthenticated';
}
