import type { BatonClient, News } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useDaemon } from './daemon.tsx';

/**
 * What the page has asked the daemon. Records of sessions become stale when the news say so and not by themselves; a
 * daemon that does not answer is waited for, because what is on the page stays right.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 5 * 60_000,
      networkMode: 'always',
      refetchOnWindowFocus: false,
      retry: (_count, error) => BatonError.is(error) && error.retryable,
      retryDelay: (count) => Math.min(5000, 200 * 2 ** count),
    },
  },
});

/** The parts of what the daemon knows: the first word of every key, by which the news find what they make stale. */
export type Subject =
  | 'sessions'
  | 'tasks'
  | 'permissions'
  | 'status'
  | 'backends'
  | 'settings'
  | 'mcpServers'
  | 'agentMcpServers'
  | 'apiKeys'
  | 'usage'
  | 'users'
  | 'tokens'
  | 'rules'
  | 'trustedFolders'
  | 'daemons'
  | 'executors'
  | 'files'
  | 'changes'
  | 'chains'
  | 'chainRuns';

type Options = {
  /** How often it is asked again, where no news tell of it. */
  everyMs?: number;
  enabled?: boolean;
  /** Refetched when the page gets the focus, because something may have changed elsewhere. */
  onReturn?: boolean;
};

/** Asks the daemon for something, and again when it has become stale. */
export function useRecords<Result>(
  key: readonly [Subject, ...unknown[]],
  ask: (client: BatonClient) => Promise<Result>,
  { everyMs, enabled = true, onReturn }: Options = {},
): UseQueryResult<Result> {
  const { client } = useDaemon();
  return useQuery({
    queryKey: key,
    queryFn: () => ask(client),
    enabled,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
    ...(onReturn ? { refetchOnWindowFocus: 'always' } : {}),
    placeholderData: (before) => before,
  });
}

/** Refetches all queries of some parts after a change. */
export function makeStale(...subjects: readonly Subject[]): void {
  for (const subject of subjects) queryClient.invalidateQueries({ queryKey: [subject] });
}

/** What the news tell of. */
const TOLD: ReadonlySet<unknown> = new Set<Subject>([
  'sessions',
  'tasks',
  'permissions',
  'status',
  'usage',
  // The steps of chains are tasks of sessions.
  'chainRuns',
]);
const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Has asked again what the news tell of: lists, and what belongs to a session that has moved. */
export function makeStaleBy({
  everything,
  session_ids,
}: Pick<News, 'everything' | 'session_ids'>): void {
  const predicate = ({ queryKey: [subject, ...rest] }: { queryKey: readonly unknown[] }) => {
    if (!TOLD.has(subject)) return false;
    const session = rest.find((part) => typeof part === 'string' && SESSION_ID.test(part));
    return everything || session === undefined || session_ids.includes(session as string);
  };
  const isLate = queryClient.isFetching({ predicate }) > 0;
  // What is being asked already may take longer than until the next news, and must not begin anew each time.
  queryClient.invalidateQueries({ predicate }, { cancelRefetch: false });
  if (isLate && later === undefined) later = setTimeout(askAgain, LATER_MS);
}

const LATER_MS = 1500;
let later: ReturnType<typeof setTimeout> | undefined;

/** What was asked before the last news may have missed them. */
function askAgain(): void {
  later = undefined;
  makeStaleBy({ everything: true, session_ids: [] });
}
