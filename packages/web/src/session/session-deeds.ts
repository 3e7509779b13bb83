import { isFinal } from '@baton/protocol';
import { useDaemon, useMay } from '../data/daemon.tsx';
import type { Deed } from '../shell/view-deeds.ts';
import { useArchive } from './archive.ts';
import { useSession, useTasks } from './open-session.tsx';
import { usePromptActions } from './prompt-actions.ts';
import { saveSession } from './save-session.ts';
import { currentTask } from './status.ts';
import { useStopTask } from './stop-task.ts';

/** How the view of the session helps with its deeds. */
export type Help = { isRaw: boolean; onRaw: () => void; onRename: () => void };

/** What can be done with the whole session, as far as this person may. */
export function useSessionDeeds({ isRaw, onRaw, onRename }: Help): readonly Deed[] {
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
  const looking: Deed[] = [
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
  const stopping: Deed[] =
    task && task.status !== 'STOPPING'
      ? [{ id: 'stop', label: 'Stop', icon: 'stop', act: () => stop(task) }]
      : [];
  const archiving: Deed[] = archived
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
