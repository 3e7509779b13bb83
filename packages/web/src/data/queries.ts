import type { BatonClient, News } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useDaemon } from './daemon.tsx';

/**
 * The cache of the daemon's responses. Records of sessions only become stale by change notifications; requests are
 * retried while the daemon is unreachable, because the records on the page stay valid.
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

/** Kinds of records: the first part of every query key, by which notifications find the queries to invalidate. */
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
  | 'reviewComments'
  | 'workspaces'
  | 'chains'
  | 'chainRuns';

type Options = {
  /** Polling interval, for records without change notifications. */
  everyMs?: number;
  enabled?: boolean;
  /** Refetched when the page gets the focus, because something may have changed elsewhere. */
  onReturn?: boolean;
};

/** Queries the daemon, and again when the records have become stale. */
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

/** Refetches all queries of these subjects after a change. */
export function makeStale(...subjects: readonly Subject[]): void {
  for (const subject of subjects) void queryClient.invalidateQueries({ queryKey: [subject] });
}

/** Subjects with change notifications. */
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

/** Refetches the queries that a notification concerns: lists, and records of changed sessions. */
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
  void queryClient.invalidateQueries({ predicate }, { cancelRefetch: false });
  if (isLate && later === undefined) later = setTimeout(askAgain, LATER_MS);
}

const LATER_MS = 1500;
let later: ReturnType<typeof setTimeout> | undefined;

/** Refetches everything: requests that were sent before the last notification may have missed its changes. */
function askAgain(): void {
  later = undefined;
  makeStaleBy({ everything: true, session_ids: [] });
}
