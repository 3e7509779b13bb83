import type { Entry, SessionRecord, TaskRecord } from '@baton/protocol';
import { createContext, useContext, useState, useSyncExternalStore } from 'react';
import type { SessionFeed } from './session-feed.ts';

/** What every part of the view of a session needs. */
export type OpenSession = {
  feed: SessionFeed;
  session: SessionRecord;
  tasks: readonly TaskRecord[];
  /** What was unfolded, by the place where it stands: rows that are scrolled away forget it. */
  unfolded: Map<string, boolean>;
  /** Opens the way to send a prompt once more with other words. */
  editAndRetry: (taskId: string, text: string) => void;
};

const Context = createContext<OpenSession | undefined>(undefined);
export const OpenSessionProvider = Context.Provider;

/** The session that is shown. */
export function useOpenSession(): OpenSession {
  const session = useContext(Context);
  if (!session) throw new Error('This part needs a session around it.');
  return session;
}

/** An entry as it is now; only those that show it are drawn anew when it changes. */
export function useEntry(cursor: number): Entry | undefined {
  const { feed } = useOpenSession();
  return useSyncExternalStore(
    (listener) => feed.subscribeEntry(cursor, listener),
    () => feed.entry(cursor),
  );
}

/** The cursors of what is inside an entry. */
export function useChildren(cursor: number): readonly number[] {
  const { feed } = useOpenSession();
  return useSyncExternalStore(
    (listener) => feed.subscribeEntry(cursor, listener),
    () => feed.children(cursor),
  );
}

/** Whether something is unfolded; kept while the session is open. */
export function useUnfolded(place: string, atFirst: boolean): [boolean, (open: boolean) => void] {
  const { unfolded } = useOpenSession();
  const [isOpen, setOpen] = useState(unfolded.get(place) ?? atFirst);
  const unfold = (open: boolean) => {
    unfolded.set(place, open);
    setOpen(open);
  };
  return [isOpen, unfold];
}
