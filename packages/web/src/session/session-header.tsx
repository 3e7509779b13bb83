import {
  type PullRequestRef,
  type SessionRecord,
  showUnseenInLine,
  taskState,
} from '@baton/protocol';
import { type Ref, useState, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { useAgentName } from '../agents/agent-name.ts';
import { OverlapNote } from '../changes/overlap-note.tsx';
import { useRecords } from '../data/queries.ts';
import { useTaskStatuses } from '../data/task-status.ts';
import { Badge } from '../design/badge.tsx';
import { IconButton } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { Menu, MenuItem } from '../design/menu.tsx';
import { SessionDevServer } from '../scripts/dev-server.tsx';
import { useOfferActions, type ViewAction } from '../shell/view-actions.ts';
import { compact, cost, ESTIMATE_WORDS } from '../text/amounts.ts';
import { sessionTitle } from '../text/session-title.ts';
import { ContextGauge } from './context-gauge.tsx';
import { EditableTitle } from './editable-title.tsx';
import { useOpen, useSession, useTasks } from './feed/open-session.tsx';
import { Parts } from './parts.tsx';
import { type Help, useSessionActions } from './session-actions.ts';
import styles from './session-header.module.css';
import { currentTask, isQueuePaused, isWorking, tellingTask } from './tasks/current-task.ts';
import { Turns } from './turns.tsx';

/** Polling interval for overlaps. */
const OVERLAP_MS = 5000;

type Props = {
  /** Part of the session that is shown; the transcript by default. */
  part: string | undefined;
  isRaw: boolean;
  onRaw: () => void;
  onJump: (cursor: number) => void;
  /** The menu button. */
  moreRef: Ref<HTMLButtonElement>;
};

/** Title, status, figures and actions of the session. */
export function SessionHeader({ part, isRaw, onRaw, onJump, moreRef }: Props) {
  const { feed } = useOpen();
  const session = useSession();
  const tasks = useTasks();
  const statuses = useTaskStatuses();
  const { usage } = useSyncExternalStore(feed.subscribe, feed.state);
  const task = tellingTask(tasks);
  const { backend, model, cwd, input_tokens, output_tokens, archived } = session;
  const { cost_usd, cost_estimated } = session;
  const agentName = useAgentName();
  const [isRenamed, rename] = useState(false);
  const origin = session.forked_from?.session_id;
  const tokens = input_tokens + output_tokens;
  const status = task && statuses[taskState(task)];
  const isPaused = isQueuePaused(tasks) && !currentTask(tasks);
  return (
    <header className={styles.header}>
      <div className={styles.first} data-focus-home="h1 button">
        <EditableTitle isEdited={isRenamed} onEdit={rename} />
        {isPaused ? (
          <Badge tone="warn">Queue paused</Badge>
        ) : (
          status && <Badge tone={status.tone}>{status.label}</Badge>
        )}
        {archived && <Badge>archived</Badge>}
        <span className={styles.actions}>
          <Turns onJump={onJump} />
          <SessionMenu {...{ part, isRaw, onRaw, moreRef }} onRename={() => rename(true)} />
        </span>
      </div>
      <div className={styles.facts}>
        <span>
          <Icon name="agent" size={14} /> {agentName(backend)}
          {model && ` · ${model}`}
        </span>
        <span title={showUnseenInLine(cwd)}>
          <Icon name="folder" size={14} />{' '}
          <span className="cut-line">
            <LiteralText text={cwd} />
          </span>
        </span>
        {session.workspace?.branch && <Branch session={session} />}
        {session.workspace?.pull_request && <PullRequest {...session.workspace.pull_request} />}
        {session.workspace?.state === 'removed' && (
          <Link href="/workspaces" title="It can be restored there for 30 days.">
            <Badge tone="warn">Worktree removed</Badge>
          </Link>
        )}
        {session.workspace?.kind === 'worktree' && session.workspace.state !== 'removed' && (
          <SessionDevServer workspaceId={session.workspace.workspace_id} />
        )}
        {origin && <OriginLink id={origin} />}
        {tokens > 0 && (
          <span title={usageTitle(session)}>
            {compact(tokens)} {tokens === 1 ? 'token' : 'tokens'}
            {cost_usd > 0 && ` · ${cost(cost_usd, { isEstimated: cost_estimated })}`}
          </span>
        )}
        {usage && <ContextGauge usage={usage} />}
        <Parts part={part} />
      </div>
      {isWorking(tasks) && <Overlaps session={session} />}
    </header>
  );
}

/** The branch of the session, the one it started from, and the size of the change. */
function Branch({ session: { workspace, changes } }: { session: SessionRecord }) {
  const { kind, branch, base_ref } = workspace ?? {};
  const isOwn = kind === 'worktree';
  return (
    <span title={isOwn ? `Worktree on ${branch}, from ${base_ref}` : 'Works in the folder itself'}>
      <Icon name="fork" size={14} />{' '}
      <span className="cut-line">
        <LiteralText text={branch ?? ''} />
        {isOwn && base_ref && (
          <>
            {' '}
            ← <LiteralText text={base_ref} />
          </>
        )}
      </span>
      {changes && changes.files > 0 && ` · +${changes.additions} −${changes.deletions}`}
    </span>
  );
}

/** The pull request of the branch, on its forge. The machine of the worktree says where that is. */
function PullRequest({ url, number }: PullRequestRef) {
  if (!/^https?:/.test(url)) return null;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      PR #{number}
    </a>
  );
}

/** Warns if other running sessions change the same files; nothing reports when they begin to. */
function Overlaps({ session: { session_id, changes } }: { session: SessionRecord }) {
  const { data } = useRecords(
    ['changes', session_id, 'overlaps', JSON.stringify(changes)],
    (client) => client.changes.overlaps(session_id),
    { everyMs: OVERLAP_MS },
  );
  return (
    <div role="status" className={styles.overlaps}>
      {data && <OverlapNote overlaps={data} />}
    </div>
  );
}

/** Links to the session that this one was forked from. */
function OriginLink({ id }: { id: string }) {
  const { data } = useRecords(['sessions', id], (client) => client.sessions.get(id));
  return (
    <Link href={`/sessions/${id}`} className={styles.origin}>
      <Icon name="fork" size={14} />{' '}
      <span className="cut-line">
        Forked from <bdi>{data ? sessionTitle(data) : 'another session'}</bdi>
      </span>
    </Link>
  );
}

/** The actions of the session in a menu; the palette has them too. */
function SessionMenu({ part, moreRef, ...help }: Help & Pick<Props, 'part' | 'moreRef'>) {
  const [, navigate] = useLocation();
  const { session_id } = useSession();
  const actions = useSessionActions(help);
  const here = `/sessions/${session_id}`;
  const other: ViewAction =
    part === 'changes'
      ? { id: 'part', label: 'Transcript', icon: 'list', act: () => navigate(here) }
      : { id: 'part', label: 'Changes', icon: 'file', act: () => navigate(`${here}/changes`) };
  useOfferActions([other, ...actions].map((action) => ({ ...action, about: 'This session' })));
  return (
    <Menu label="Session actions" button={<IconButton ref={moreRef} label="More" icon="more" />}>
      {actions.map(({ id, label, icon, act }) => (
        <MenuItem key={id} icon={icon} onSelect={act}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}

function usageTitle({ input_tokens, output_tokens, cost_estimated }: SessionRecord): string {
  const tokens = `${input_tokens} in, ${output_tokens} out`;
  return cost_estimated ? `${tokens}. Cost: ${ESTIMATE_WORDS.toLowerCase()}` : tokens;
}
