import type { BatonClient, PendingRecord } from '@baton/client';
import { actionLine, showUnseenInText } from '@baton/protocol';
import { useEffect, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { useDaemon } from '../data/daemon.tsx';
import { onNews } from '../data/news.ts';
import { requestKey } from '../data/request-key.ts';
import { StoredChoice } from '../data/stored-choice.ts';

const stored = new StoredChoice('baton.notifications');
const MOST = 200;

/** Turns notifications of this browser on or off; returns the resulting state, because the browser may refuse them. */
export async function chooseNotifications(on: boolean): Promise<ReturnType<typeof choice>> {
  if (on && isPossible()) await Notification.requestPermission();
  stored.set(on ? 'on' : undefined);
  return choice();
}

/** State of notifications in this browser. */
export function useNotificationChoice(): 'on' | 'off' | 'refused' | 'missing' {
  return useSyncExternalStore(stored.subscribe, choice);
}

/** Sends a browser notification when a request arrives while the page is hidden. */
export function useNotifications(): void {
  const { client } = useDaemon();
  const [, navigate] = useLocation();
  useEffect(() => {
    const watch = new Watch(client, (session) => navigate(`/sessions/${session}`));
    const look = () => void watch.look();
    look();
    // What waits already when notifications are turned on is no news.
    const stopChoice = stored.subscribe(look);
    const stopNews = onNews(look);
    return () => {
      stopChoice();
      stopNews();
    };
  }, [client, navigate]);
}

class Watch {
  #client: BatonClient;
  #open: (session: string) => void;
  /** Requests that were pending at the last check; undefined before the first one. */
  #known: ReadonlySet<string> | undefined;

  constructor(client: BatonClient, open: (session: string) => void) {
    this.#client = client;
    this.#open = open;
  }

  async look(): Promise<void> {
    if (choice() !== 'on') return;
    const page = await this.#client.permissions
      .find({ status: 'pending', limit: MOST })
      .catch(() => undefined);
    if (!page) return;
    const before = this.#known;
    this.#known = new Set(page.data.map(requestKey));
    if (!before || !document.hidden) return;
    for (const request of page.data) if (!before.has(requestKey(request))) this.#notify(request);
  }

  #notify(pending: PendingRecord): void {
    const { kind, request, session_id } = pending;
    const title = kind === 'question' ? 'Question from an agent' : 'Permission request';
    const body =
      kind === 'question'
        ? showUnseenInText(request.questions[0]?.question ?? '')
        : actionLine(request.tool, request.action);
    try {
      const notice = new Notification(title, { body, tag: requestKey(pending) });
      notice.onclick = () => {
        window.focus();
        this.#open(session_id);
        notice.close();
      };
    } catch {
      // Some phones have notifications only for pages with a service worker.
    }
  }
}

function choice(): 'on' | 'off' | 'refused' | 'missing' {
  if (!isPossible()) return 'missing';
  if (Notification.permission === 'denied') return 'refused';
  return stored.get() === 'on' && Notification.permission === 'granted' ? 'on' : 'off';
}

function isPossible(): boolean {
  return 'Notification' in window;
}
