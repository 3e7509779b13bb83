import { type BatonClient, type News, RECONNECT_BACKOFF } from '@baton/client';
import { Backoff, BatonError } from '@baton/protocol';
import { useEffect } from 'react';
import { useDaemon } from './daemon.tsx';
import { makeStaleBy } from './queries.ts';

const WAIT_MS = 25_000;
/** Agents that speak let their session move many times a second; the lists need not follow that fast. */
const PAUSE_MS = 1000;

type Listener = (news: News) => void;

const listeners = new Set<Listener>();

/** Calls a function whenever sessions have moved. */
export function onNews(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Keeps the lists of the page up to date for as long as it is shown. */
export function useNews(): void {
  const { client, lookAtMe, onRefused } = useDaemon();
  useEffect(() => {
    const stop = new AbortController();
    void listen(client, stop.signal, lookAtMe).then((end) => {
      if (end === 'refused') onRefused();
    });
    return () => stop.abort();
  }, [client, lookAtMe, onRefused]);
}

async function listen(
  client: BatonClient,
  signal: AbortSignal,
  onPeople: () => void,
): Promise<'refused' | 'left'> {
  const backoff = new Backoff({ ...RECONNECT_BACKOFF, signal });
  let after: string | undefined;
  while (!signal.aborted) {
    const news = await client.news.find({ after, wait: WAIT_MS }).catch((error: unknown) => {
      if (BatonError.is(error) && error.code === 'unauthenticated') return 'refused' as const;
      return undefined;
    });
    if (signal.aborted) return 'left';
    if (news === 'refused') return news;
    if (!news) {
      await backoff.wait();
      continue;
    }
    backoff.reset();
    after = news.after;
    if (news.everything || news.session_ids.length > 0) announce(news);
    if (news.everything || news.people) onPeople();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return 'left';
}

function announce(news: News): void {
  makeStaleBy(news);
  for (const listener of listeners) listener(news);
}
