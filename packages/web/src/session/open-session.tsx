import type { Entry, ListedTask, SessionRecord } from '@baton/protocol';
import {
  type Context,
  createContext,
  type ReactNode,
  useContext,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import type { SessionFeed } from './session-feed.ts';

type Open = {
  feed: SessionFeed;
  /** The folder of the session. */
  cwd: string;
  /** What was unfolded, by the place where it stands: rows that are scrolled away forget it. */
  unfolded: Map<string, boolean>;
  /** Opens the way to send a prompt once more with other words. */
  editAndRetry: (taskId: string, text: string) => void;
  /** Shows the events of the session as the daemon keeps them. */
  showRaw: () => void;
};

/** What stays the same while a session is open; the rows of the transcript must not be drawn anew for anything else. */
const OpenContext = createContext<Open | undefined>(undefined);
const TasksContext = createContext<readonly ListedTask[]>([]);
const SessionContext = createContext<SessionRecord | undefined>(undefined);

/** Gives every part of the view of a session what it needs. */
export function OpenSessionProvider({
  feed,
  session,
  tasks,
  editAndRetry,
  showRaw,
  children,
}: Pick<Open, 'feed' | 'editAndRetry' | 'showRaw'> & {
  session: SessionRecord;
  tasks: readonly ListedTask[];
  children: ReactNode;
}) {
  const { cwd } = session;
  const [unfolded] = useState(() => new Map<string, boolean>());
  const open = useMemo(
    () => ({ feed, cwd, unfolded, editAndRetry, showRaw }),
    [feed, cwd, unfolded, editAndRetry, showRaw],
  );
  return (
    <OpenContext value={open}>
      <TasksContext value={tasks}>
        <SessionContext value={session}>{children}</SessionContext>
      </TasksContext>
    </OpenContext>
  );
}

/** The session that is open, as far as it never changes. */
export function useOpen(): Open {
  return useInside(OpenContext);
}

/** The tasks of the session, the newest first. */
export function useTasks(): readonly ListedTask[] {
  return useContext(TasksContext);
}

/** The record of the session: it changes with everything that its agent says. */
export function useSession(): SessionRecord {
  return useInside(SessionContext);
}

/** An entry as it is now; only those that show it are drawn anew when it changes. */
export function useEntry(cursor: number): Entry | undefined {
  const { feed } = useOpen();
  return useSyncExternalStore(
    (listener) => feed.subscribeEntry(cursor, listener),
    () => feed.entry(cursor),
  );
}

/** The cursors of what is inside an entry. */
export function useChildren(cursor: number): readonly number[] {
  const { feed } = useOpen();
  return useSyncExternalStore(
    (listener) => feed.subscribeEntry(cursor, listener),
    () => feed.children(cursor),
  );
}

/** Whether something is unfolded; kept while the session is open. */
export function useUnfolded(place: string, atFirst: boolean): [boolean, (open: boolean) => void] {
  const { unfolded } = useOpen();
  const [isOpen, setOpen] = useState(unfolded.get(place) ?? atFirst);
  const unfold = (open: boolean) => {
    unfolded.set(place, open);
    setOpen(open);
  };
  return [isOpen, unfold];
}

function useInside<Value>(context: Context<Value | undefined>): Value {
  const value = useContext(context);
  if (value === undefined) throw new Error('useOpen must be used inside an open session.');
  return value;
}
