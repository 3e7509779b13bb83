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
  /** Open state of collapsible items by key: rows that are scrolled out of view lose their own state. */
  unfolded: Map<string, boolean>;
  /** Opens the dialog that edits a prompt and runs it again. */
  editAndRetry: (taskId: string, text: string) => void;
  /** Opens the dialog that undoes a turn. */
  askToUndo: (taskId: string) => void;
  /** Shows the events of the session as the daemon keeps them. */
  showRaw: () => void;
};

/**
 * Values that stay the same while a session is open: other changes must not render the rows of the transcript again.
 */
const OpenContext = createContext<Open | undefined>(undefined);
const TasksContext = createContext<readonly ListedTask[]>([]);
const SessionContext = createContext<SessionRecord | undefined>(undefined);

/** Provides the open session to the parts of its view. */
export function OpenSessionProvider({
  feed,
  session,
  tasks,
  editAndRetry,
  askToUndo,
  showRaw,
  children,
}: Pick<Open, 'feed' | 'editAndRetry' | 'askToUndo' | 'showRaw'> & {
  session: SessionRecord;
  tasks: readonly ListedTask[];
  children: ReactNode;
}) {
  const { cwd } = session;
  const [unfolded] = useState(() => new Map<string, boolean>());
  const open = useMemo(
    () => ({ feed, cwd, unfolded, editAndRetry, askToUndo, showRaw }),
    [feed, cwd, unfolded, editAndRetry, askToUndo, showRaw],
  );
  return (
    <OpenContext value={open}>
      <TasksContext value={tasks}>
        <SessionContext value={session}>{children}</SessionContext>
      </TasksContext>
    </OpenContext>
  );
}

/** The constant values of the open session. */
export function useOpen(): Open {
  return useInside(OpenContext);
}

/** The tasks of the session, the newest first. */
export function useTasks(): readonly ListedTask[] {
  return useContext(TasksContext);
}

/** The record of the session, which changes with every event of its agent. */
export function useSession(): SessionRecord {
  return useInside(SessionContext);
}

/** The current state of an entry; only components that show it are rendered again when it changes. */
export function useEntry(cursor: number): Entry | undefined {
  const { feed } = useOpen();
  return useSyncExternalStore(
    (listener) => feed.subscribeEntry(cursor, listener),
    () => feed.entry(cursor),
  );
}

/** The cursors of the entries nested in an entry. */
export function useChildren(cursor: number): readonly number[] {
  const { feed } = useOpen();
  return useSyncExternalStore(
    (listener) => feed.subscribeEntry(cursor, listener),
    () => feed.children(cursor),
  );
}

/** Open state of a collapsible item; kept while the session is open. */
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
