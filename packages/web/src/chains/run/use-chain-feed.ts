import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useDaemon } from '../../data/daemon.tsx';
import { makeStale } from '../../data/queries.ts';
import { ChainFeed, type ChainFeedState } from './chain-feed.ts';

/** Follows a chain run for as long as it is shown. */
export function useChainFeed(runId: string): ChainFeedState {
  const { client } = useDaemon();
  const feed = useMemo(() => new ChainFeed(client, runId), [client, runId]);
  useEffect(() => {
    feed.onEvents = () => makeStale('chainRuns');
    return feed.open();
  }, [feed]);
  return useSyncExternalStore(feed.subscribe, feed.state);
}
