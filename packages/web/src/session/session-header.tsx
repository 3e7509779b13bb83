import { useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { useAgentName } from '../agents/agent-name.ts';
import { complain } from '../data/attempt.ts';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { useTaskStatuses } from '../data/task-status.ts';
import { Badge } from '../design/badge.tsx';
import { IconButton } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { Menu, MenuItem } from '../design/menu.tsx';
import { compact, cost } from '../text/amounts.ts';
import { ContextGauge } from './context-gauge.tsx';
import { EditableTitle } from './editable-title.tsx';
import { useOpen, useSession, useTasks } from './open-session.tsx';
import { Parts } from './parts.tsx';
import { usePromptActions } from './prompt-actions.ts';
import styles from './session-header.module.css';
import { currentTask } from './status.ts';
import { Turns } from './turns.tsx';

type Props = {
  /** Which part of the session is shown: the transcript without it. */
  part: string | undefined;
  isRaw: boolean;
  onRaw: () => void;
  onJump: (cursor: number) => void;
};

/** What session this is, how it is, and what can be done with the whole of it. */
export function SessionHeader({ part, isRaw, onRaw, onJump }: Props) {
  const { feed } = useOpen();
  const session = useSession();
  const tasks = useTasks();
  const statuses = useTaskStatuses();
  const { usage } = useSyncExternalStore(feed.subscribe, feed.state);
  const task = currentTask(tasks) ?? tasks[0];
  const { backend, model, cwd, input_tokens, output_tokens, cost_usd, archived } = session;
  const agentName = useAgentName();
  const origin = session.forked_from?.sessionId;
  const tokens = input_tokens + output_tokens;
  const status = task && statuses[task.status];
  return (
    <header className={styles.header}>
      <div className={styles.first}>
        <EditableTitle />
        {status && <Badge tone={status.tone}>{status.label}</Badge>}
        {archived && <Badge>archived</Badge>}
        <span className={styles.actions}>
          <Turns onJump={onJump} />
          <SessionMenu isRaw={isRaw} onRaw={onRaw} />
        </span>
      </div>
      <div className={styles.facts}>
        <span>
          <Icon name="agent" size={14} /> {agentName(backend)}
          {model && ` · ${model}`}
        </span>
        <span className={styles.folder} title={cwd} dir="ltr">
          <Icon name="folder" size={14} /> <span>{cwd}</span>
        </span>
        {origin && (
          <Link href={`/sessions/${origin}`} className={styles.origin}>
            <Icon name="fork" size={14} /> Goes on from another session
          </Link>
        )}
        {tokens > 0 && (
          <span title={`${input_tokens} in, ${output_tokens} out`}>
            {compact(tokens)} tokens{cost_usd > 0 && ` · ${cost(cost_usd)}`}
          </span>
        )}
        {usage && <ContextGauge usage={usage} />}
        <Parts part={part} />
      </div>
    </header>
  );
}

function SessionMenu({ isRaw, onRaw }: { isRaw: boolean; onRaw: () => void }) {
  const { client } = useDaemon();
  const may = useMay('member');
  const session = useSession();
  const { fork } = usePromptActions();
  const { archived, session_id: id } = session;
  const archive = () =>
    client.sessions
      .patch(id, { archived: !archived })
      .then(() => makeStale('sessions', 'tasks'), complain);
  const save = async (form: 'markdown' | 'events') => {
    const { downloadEvents, downloadMarkdown } = await import('./export.ts');
    await (form === 'events' ? downloadEvents : downloadMarkdown)(client, session).catch(complain);
  };
  return (
    <Menu label="What to do with the session" button={<IconButton label="More" icon="more" />}>
      {may && (
        <MenuItem icon="fork" onSelect={() => fork()}>
          Fork from here
        </MenuItem>
      )}
      <MenuItem icon="list" onSelect={onRaw}>
        {isRaw ? 'Hide raw events' : 'Raw events'}
      </MenuItem>
      <MenuItem icon="file" onSelect={() => save('markdown')}>
        Download as Markdown
      </MenuItem>
      <MenuItem icon="file" onSelect={() => save('events')}>
        Download all events
      </MenuItem>
      {may && (
        <MenuItem icon={archived ? 'unarchive' : 'archive'} onSelect={archive}>
          {archived ? 'Take out of the archive' : 'Archive'}
        </MenuItem>
      )}
    </Menu>
  );
}
