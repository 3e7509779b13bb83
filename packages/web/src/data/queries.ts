import type { BatonClient } from '@baton/client';
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
    mutations: { networkMode: 'always' },
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
  | 'apiKeys'
  | 'usage'
  | 'users'
  | 'tokens'
  | 'rules'
  | 'daemons'
  | 'executors'
  | 'files'
  | 'changes';

type Options = {
  /** How often it is asked again, where no news tell of it. */
  everyMs?: number;
  enabled?: boolean;
};

/** Asks the daemon for something, and again when it has become stale. */
export function useRecords<Result>(
  key: readonly [Subject, ...unknown[]],
  ask: (client: BatonClient) => Promise<Result>,
  { everyMs, enabled = true }: Options = {},
): UseQueryResult<Result> {
  const { client } = useDaemon();
  return useQuery({
    queryKey: key,
    queryFn: () => ask(client),
    enabled,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
    placeholderData: (before) => before,
  });
}

/** Has everything of some parts asked again. */
export function makeStale(...subjects: readonly Subject[]): void {
  for (const subject of subjects) queryClient.invalidateQueries({ queryKey: [subject] });
}
