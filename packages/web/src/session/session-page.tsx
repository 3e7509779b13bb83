import { type ListedTask, type SessionRecord, shortened } from '@baton/protocol';
import { Suspense, useCallback, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { complain, troubleOf } from '../data/attempt.ts';
import { useRecords } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Empty, Loading } from '../design/empty.tsx';
import { useTitle } from '../shell/attention.ts';
import { lazyPart } from '../shell/lazy-view.tsx';
import { promptWords } from '../text/prompt-words.ts';
import { sessionTitle } from '../text/session-title.ts';
import { EmptySession } from './empty-session.tsx';
import { OpenSessionProvider } from './feed/open-session.tsx';
import { saveScrollPosition } from './feed/scroll-position.ts';
import type { SessionFeed } from './feed/session-feed.ts';
import { useFeed } from './feed/use-feed.ts';
import { PromptDialog } from './prompt-dialog.tsx';
import styles from './session.module.css';
import { SessionComposer } from './session-composer.tsx';
import { SessionHeader } from './session-header.tsx';
import { isWorking } from './tasks/current-task.ts';
import { usePromptActions } from './tasks/prompt-actions.ts';
import { type Moves, Transcript } from './transcript.tsx';

const RawEvents = lazyPart(async () => (await import('./raw-events.tsx')).RawEvents);
const ChangesView = lazyPart(async () => (await import('../changes/changes-view.tsx')).ChangesView);

const UndoDialog = lazyPart(async () => (await import('../changes/undo-dialog.tsx')).UndoDialog);

const NO_TASKS: readonly ListedTask[] = [];
const MAX_LABEL = 60;

/** A session that is there. */
export function SessionPage({
  session,
  part,
}: {
  session: SessionRecord;
  part?: string | undefined;
}) {
  const { session_id: id } = session;
  const [, navigate] = useLocation();
  const feed = useFeed(id);
  const { data } = useRecords(['tasks', id], (client) =>
    client.tasks.find({ session_id: id, limit: 100 }),
  );
  const [retried, retry] = useState<{ taskId: string; text: string }>();
  const [undone, askToUndo] = useState<string>();
  const [isRaw, setRaw] = useState(false);
  const showRaw = useCallback(() => setRaw(true), []);
  const more = useRef<HTMLButtonElement>(null);
  const hideRaw = () => {
    setRaw(false);
    more.current?.focus();
  };
  const moves = useRef<Moves>(undefined);
  const onMoves = useCallback((known: Moves) => {
    moves.current = known;
  }, []);
  const tasks = data?.data ?? NO_TASKS;
  const turns = useMemo(() => turnsOf(tasks), [tasks]);
  const isRunning = isWorking(tasks);
  const isAwaiting = tasks.some(({ status }) => status === 'AWAITING_PERMISSION');
  const jump = useCallback(
    (cursor: number) => {
      saveScrollPosition(id, undefined);
      if (part) navigate(`/sessions/${id}`);
      // The list has the new rows when it was drawn.
      const go = () => requestAnimationFrame(() => moves.current?.to(cursor));
      feed.loadBackTo(cursor).then(go, complain);
    },
    [id, part, navigate, feed],
  );
  useTitle(sessionTitle(session));
  const editAndRetry = useCallback((taskId: string, text: string) => retry({ taskId, text }), []);
  return (
    <OpenSessionProvider {...{ feed, session, tasks, editAndRetry, askToUndo, showRaw }}>
      <div className={styles.session}>
        <SessionHeader
          isRaw={isRaw}
          onRaw={() => setRaw(!isRaw)}
          part={part}
          moreRef={more}
          onJump={jump}
        />
        <div className={styles.main}>
          <div className={styles.talk}>
            {part === 'changes' ? (
              <div className={styles.changes}>
                <Suspense fallback={<Loading />}>
                  <ChangesView {...{ session, turns, isRunning }} onJump={jump} />
                </Suspense>
              </div>
            ) : (
              <>
                <Body feed={feed} onMoves={onMoves} />
                <SessionComposer
                  isIdle={data !== undefined && !isAwaiting}
                  onSent={() => moves.current?.toEnd()}
                />
              </>
            )}
          </div>
          {isRaw && (
            <aside
              className={styles.side}
              aria-label="Raw events"
              onKeyDown={(event) => {
                if (event.key !== 'Escape' || event.defaultPrevented) return;
                // Otherwise the page would ask whether to stop the agent.
                event.preventDefault();
                hideRaw();
              }}
            >
              <Suspense fallback={<Loading />}>
                <RawEvents onClose={hideRaw} />
              </Suspense>
            </aside>
          )}
        </div>
        {undone && (
          <Suspense>
            <UndoDialog
              sessionId={id}
              turns={[undone, ...turnsAfter(turns, undone)]}
              onClose={() => askToUndo(undefined)}
            />
          </Suspense>
        )}
        {retried && <RetryDialog {...retried} onClose={() => retry(undefined)} />}
      </div>
    </OpenSessionProvider>
  );
}

/** The prompts that have run, oldest first, as the choices of the changes view. */
function turnsOf(tasks: readonly ListedTask[]) {
  return tasks
    .filter(({ started_at }) => started_at !== null)
    .sort((one, other) => one.position - other.position)
    .map((task, index) => ({
      task_id: task.task_id,
      position: task.position,
      label: `${index + 1}. ${shortened(promptWords(task), MAX_LABEL)}`,
    }));
}

/** Task ids of the turns after one; only the latest tasks are known here, so all of them come after an older one. */
function turnsAfter(turns: readonly { task_id: string }[], taskId: string): string[] {
  const ids = turns.map(({ task_id }) => task_id);
  return ids.slice(ids.indexOf(taskId) + 1);
}

function Body({ feed, onMoves }: { feed: SessionFeed; onMoves: (moves: Moves) => void }) {
  const { state, error, rows } = useSyncExternalStore(feed.subscribe, feed.state);
  if (state === 'loading') {
    return (
      <div className={styles.loading}>
        <Loading lines={6} label="Loading transcript" />
      </div>
    );
  }
  if (state === 'failed') {
    const { message, hint } = troubleOf(error);
    return (
      <Empty
        icon="warning"
        title={message}
        actions={<Button onClick={() => feed.retry()}>Retry</Button>}
      >
        {hint}
      </Empty>
    );
  }
  if (rows.length === 0) return <EmptySession />;
  return <Transcript onMoves={onMoves} />;
}

type RetryProps = { taskId: string; text: string; onClose: () => void };

/** Retries a prompt with other words, in a fork of the session from before that prompt. */
function RetryDialog({ taskId, text, onClose }: RetryProps) {
  const { retryWith } = usePromptActions();
  return (
    <PromptDialog
      title="Edit and retry"
      verb="Retry in a fork"
      hint="Runs in a fork from just before this prompt. This session is not changed."
      text={text}
      onClose={onClose}
      onSubmit={(prompt) => retryWith(taskId, { prompt })}
    />
  );
}
