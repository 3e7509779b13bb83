import { useEffect, useMemo } from 'react';
import { useDaemon } from '../../data/daemon.tsx';
import { makeStale, queryClient } from '../../data/queries.ts';
import { savedScrollPosition } from './scroll-position.ts';
import { SessionFeed } from './session-feed.ts';

/** To find out what was changed takes a while: agents that write file after file are asked about now and then. */
const PAUSE_MS = 2000;

/** Keeps a session open for as long as it is shown, and what the page knows of it up to date. */
export function useFeed(sessionId: string): SessionFeed {
  const { client } = useDaemon();
  const feed = useMemo(() => new SessionFeed(client, sessionId), [client, sessionId]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    feed.onMilestone = () => makeStale('tasks', 'permissions', 'sessions');
    feed.onFileChange = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        makeStale('changes');
      }, PAUSE_MS);
    };
    const close = feed.open(savedScrollPosition(sessionId)?.cursor);
    return () => {
      clearTimeout(timer);
      close();
      // File changes are not followed from now on: they are read again when the session is opened.
      void queryClient.invalidateQueries({ queryKey: ['changes', sessionId], refetchType: 'none' });
    };
  }, [feed, sessionId]);
  return feed;
}
