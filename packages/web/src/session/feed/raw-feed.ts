import type { LogEvent } from '@baton/protocol';
import { useEffect, useRef, useState } from 'react';
import { useDaemon } from '../../data/daemon.tsx';
import { FrameBatches } from './frame-batches.ts';
import { useOpen, useSession } from './open-session.tsx';

/** Number of events that are read at once, from the end of the log. */
const PAGE = 500;

/** The events of the session that are loaded: the latest, and earlier ones on demand. */
export function useRawFeed() {
  const { client } = useDaemon();
  const { feed } = useOpen();
  const { sessionId } = feed;
  const { head_cursor } = useSession();
  const [start, setStart] = useState(() => Math.max(0, head_cursor - PAGE));
  const [begin] = useState(start);
  const [tries, tryAgain] = useState(0);
  const [events, show] = useState<readonly LogEvent[]>([]);
  const [isLoading, setLoading] = useState(false);
  const [error, setError] = useState<unknown>();
  const last = useRef(begin);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try goes on behind what is there
  useEffect(() => {
    const stop = new AbortController();
    const batches = new FrameBatches<LogEvent>((more) => {
      if (stop.signal.aborted) return;
      last.current = more.at(-1)?.cursor ?? last.current;
      show((before) => [...before, ...more]);
    });
    const read = async () => {
      const coming = client.follow(sessionId, { after: last.current, signal: stop.signal });
      for await (const event of coming) batches.add(event);
    };
    read().catch((problem: unknown) => !stop.signal.aborted && setError(problem));
    return () => stop.abort();
  }, [client, sessionId, tries]);

  const loadEarlier = async () => {
    const after = Math.max(0, start - PAGE);
    setLoading(true);
    try {
      const place = { session_id: sessionId, after, limit: start - after };
      const { events: earlier } = await client.events.find(place);
      // A daemon may give more at once than it is asked for.
      const missing = earlier.filter(({ cursor }) => cursor <= start);
      show((before) => [...missing, ...before]);
      setStart(after);
    } catch (problem) {
      setError(problem);
    }
    setLoading(false);
  };
  const retry = () => {
    setError(undefined);
    tryAgain(tries + 1);
  };
  return { events, start, hasEarlier: start > 0, isLoading, error, loadEarlier, retry };
}
