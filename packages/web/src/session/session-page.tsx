import type { ListedTask, SessionRecord } from '@baton/protocol';
import { Suspense, useCallback, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { complain, troubleOf } from '../data/attempt.ts';
import { useRecords } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Empty, Loading } from '../design/empty.tsx';
import { useTitle } from '../shell/attention.ts';
import { lazyPart } from '../shell/lazy-view.tsx';
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
import { usePromptActions } from './tasks/prompt-actions.ts';
import { type Moves, Transcript } from './transcript.tsx';

const RawEvents = lazyPart(async () => (await import('./raw-events.tsx')).RawEvents);
const ChangesView = lazyPart(async () => (await import('../changes/changes-view.tsx')).ChangesView);

const NO_TASKS: readonly ListedTask[] = [];

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
  const isAwaiting = tasks.some(({ status }) => status === 'AWAITING_PERMISSION');
  useTitle(sessionTitle(session));
  const editAndRetry = useCallback((taskId: string, text: string) => retry({ taskId, text }), []);
  return (
    <OpenSessionProvider {...{ feed, session, tasks, editAndRetry, showRaw }}>
      <div className={styles.session}>
        <SessionHeader
          isRaw={isRaw}
          onRaw={() => setRaw(!isRaw)}
          part={part}
          moreRef={more}
          onJump={(cursor) => {
            saveScrollPosition(id, undefined);
            if (part) navigate(`/sessions/${id}`);
            // The list has the new rows when it was drawn.
            const go = () => requestAnimationFrame(() => moves.current?.to(cursor));
            feed.loadBackTo(cursor).then(go, complain);
          }}
        />
        <div className={styles.main}>
          <div className={styles.talk}>
            {part === 'changes' ? (
              <div className={styles.changes}>
                <Suspense fallback={<Loading />}>
                  <ChangesView sessionId={id} />
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
        {retried && <RetryDialog {...retried} onClose={() => retry(undefined)} />}
      </div>
    </OpenSessionProvider>
  );
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
      onSubmit={(prompt) => retryWith(taskId, prompt)}
    />
  );
}
