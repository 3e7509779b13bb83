import type { BatonClient } from '@baton/client';
import type { SessionRecord } from '@baton/protocol';
import { isFinal } from '@baton/protocol';
import { attempt } from '../data/attempt.ts';
import { useDaemon, useMay } from '../data/daemon.tsx';
import type { ViewAction } from '../shell/view-actions.ts';
import { useSession, useTasks } from './feed/open-session.tsx';
import { currentTask } from './tasks/current-task.ts';
import { usePromptActions } from './tasks/prompt-actions.ts';
import { useStopTask } from './tasks/stop-task.ts';
import { useArchive } from './use-archive.ts';

/** State and callbacks of the session view for its actions. */
export type Help = { isRaw: boolean; onRaw: () => void; onRename: () => void };

/** The actions on a session that this user is allowed. */
export function useSessionActions({ isRaw, onRaw, onRename }: Help): readonly ViewAction[] {
  const { client } = useDaemon();
  const may = useMay('member');
  const session = useSession();
  const tasks = useTasks();
  const task = currentTask(tasks);
  const isOver = tasks.every(({ status }) => isFinal(status));
  const { fork } = usePromptActions();
  const stop = useStopTask();
  const archive = useArchive();
  const { archived } = session;
  const looking: ViewAction[] = [
    { id: 'raw', label: isRaw ? 'Hide raw events' : 'Raw events', icon: 'list', act: onRaw },
    {
      id: 'markdown',
      label: 'Download as Markdown',
      icon: 'file',
      act: () => saveSession(client, session, 'markdown'),
    },
    {
      id: 'events',
      label: 'Download all events',
      icon: 'file',
      act: () => saveSession(client, session, 'events'),
    },
  ];
  if (!may) return looking;
  const stopping: ViewAction[] =
    task && task.status !== 'STOPPING'
      ? [{ id: 'stop', label: 'Stop', icon: 'stop', act: () => stop(task) }]
      : [];
  const archiving: ViewAction[] = archived
    ? [{ id: 'archive', label: 'Unarchive', icon: 'unarchive', act: archive }]
    : isOver
      ? [{ id: 'archive', label: 'Archive', icon: 'archive', act: archive }]
      : [];
  return [
    ...stopping,
    { id: 'rename', label: 'Rename', icon: 'edit', act: onRename },
    { id: 'fork', label: 'Fork from here', icon: 'fork', act: () => fork() },
    ...looking,
    ...archiving,
  ];
}

/** Downloads a session as a file; the code for that is loaded on first use. */
function saveSession(
  client: BatonClient,
  session: SessionRecord,
  form: 'markdown' | 'events',
): Promise<boolean> {
  return attempt(async () => {
    const { downloadEvents, downloadMarkdown } = await import('./download-session.ts');
    await (form === 'events' ? downloadEvents : downloadMarkdown)(client, session);
  });
}
