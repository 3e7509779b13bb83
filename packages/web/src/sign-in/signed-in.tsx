import { BatonClient, Pauses, type UserRecord } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { troubleOf } from '../data/attempt.ts';
import { DaemonProvider } from '../data/daemon.tsx';
import {
  forgetToken,
  keepToken,
  keptToken,
  onTokenForgotten,
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

/** Shows what is in it to whoever is signed in, and to others how to sign in. */
export function SignedIn({ children }: { children: ReactNode }) {
  const client = useMemo(() => new BatonClient({ url: location.origin, token: keptToken() }), []);
  const [visit, setVisit] = useState<Visit>({ state: 'coming' });

  const enter = useCallback(
    async (token?: string) => {
      if (token !== undefined) {
        keepToken(token);
        client.connection.showToken(token);
      }
      const me = await client.users.me();
      takeDrafts(me.user_id);
      setVisit({ state: 'in', me });
    },
    [client],
  );
  const close = useCallback((problem?: string) => {
    queryClient.clear();
    setVisit({ state: 'outside', problem });
  }, []);
  const leave = useCallback(
    (problem?: string) => {
      forgetToken();
      close(problem);
    },
    [close],
  );
  const signOut = useCallback(() => {
    client.authentication.remove().catch(() => {});
    leave();
    forgetDrafts();
  }, [client, leave]);
  const onRefused = useCallback(() => leave('You were signed out.'), [leave]);

  useEffect(() => {
    const gone = new AbortController();
    const pauses = new Pauses(gone.signal);
    const come = () =>
      begin(client, enter).catch(async (error: unknown) => {
        const { message } = troubleOf(error);
        if (isRefused(error)) return leave(message);
        // Only a daemon that says no ends a login; any other trouble may pass.
        setVisit({ state: 'coming', problem: message });
        await pauses.next();
        if (!gone.signal.aborted) come();
      });
    come();
    return () => gone.abort();
  }, [client, enter, leave]);
  // Who signs out in one tab does so in all of them; by now there may be another token, which stays.
  useEffect(() => {
    return onTokenForgotten(() => {
      close();
      forgetDrafts();
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
    <DaemonProvider client={client} me={visit.me} signOut={signOut} onRefused={onRefused}>
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
async function begin(client: BatonClient, enter: (token?: string) => Promise<void>): Promise<void> {
  const secret = takeLinkSecret();
  const kept = keptToken();
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
