import type { TaskRecord } from '@baton/protocol';
import { useRef, useState } from 'react';
import { attempt } from '../data/attempt.ts';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { makeStale, useRecords } from '../data/queries.ts';
import { Button, IconButton } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { useStable } from '../guard/use-stable.ts';
import { useSession, useTasks } from './feed/open-session.tsx';
import { PromptDialog } from './prompt-dialog.tsx';
import styles from './session-composer.module.css';
import { isQueuePaused, queuedTasks } from './tasks/current-task.ts';
import { useStopTask } from './tasks/stop-task.ts';

/** The prompts whose turn comes later; they can still be changed or cancelled. */
export function QueuedPrompts() {
  const tasks = useTasks();
  const [edited, edit] = useState<TaskRecord>();
  const queued = queuedTasks(tasks);
  return (
    <>
      {isQueuePaused(tasks) && <Paused />}
      {queued.length > 0 && (
        <ul className={styles.queue} aria-label="Queued prompts" data-focus-home="button">
          {queued.map((task) => (
            <Queued key={task.task_id} task={task} onEdit={() => edit(task)} />
          ))}
        </ul>
      )}
      {edited && <EditDialog task={edited} onClose={() => edit(undefined)} />}
    </>
  );
}

/** After a stop, the queue continues only when the user resumes it. */
function Paused() {
  const { client } = useDaemon();
  const may = useMay('member');
  const { session_id } = useSession();
  const row = useRef<HTMLDivElement>(null);
  const unstable = !useStable(row);
  const [busy, setBusy] = useState(false);
  const act = async (change: (id: string) => Promise<unknown>) => {
    setBusy(true);
    await attempt(() => change(session_id));
    makeStale('tasks', 'sessions', 'status');
    setBusy(false);
  };
  return (
    <div ref={row} className={styles.paused} role="status" data-guarded="">
      <Icon name="queue" size={15} />
      <strong>Queue paused</strong>
      {may && (
        <span className={styles.pausedActions}>
          <Button
            small
            icon="play"
            {...{ busy, unstable }}
            onClick={() => act(client.sessions.resumeQueue)}
          >
            Resume queue
          </Button>
          <Button
            small
            look="quiet"
            {...{ busy, unstable }}
            onClick={() => act(client.sessions.clearQueue)}
          >
            Clear queue
          </Button>
        </span>
      )}
    </div>
  );
}

function Queued({ task, onEdit }: { task: TaskRecord; onEdit: () => void }) {
  const may = useMay('member');
  const row = useRef<HTMLLIElement>(null);
  const unstable = !useStable(row);
  const cancel = useStopTask();
  return (
    <li ref={row} className={styles.queued} data-guarded="">
      <Icon name="queue" size={15} />
      <span className={`cut-line ${styles.queuedText}`} dir="auto">
        {task.full_prompt}
      </span>
      {may && (
        <>
          <IconButton small unstable={unstable} label="Edit prompt" icon="edit" onClick={onEdit} />
          <IconButton
            small
            unstable={unstable}
            label="Cancel prompt"
            icon="close"
            onClick={() => cancel(task)}
          />
        </>
      )}
    </li>
  );
}

function EditDialog({ task, onClose }: { task: TaskRecord; onClose: () => void }) {
  const { client } = useDaemon();
  // A list has only the beginning of a long prompt.
  const { data: whole } = useRecords(['tasks', task.task_id], (each) =>
    each.tasks.get(task.task_id),
  );
  const save = async (full_prompt: string) => {
    await client.tasks.patch(task.task_id, { full_prompt });
    makeStale('tasks');
  };
  if (whole?.task_id !== task.task_id) return null;
  return (
    <PromptDialog
      title="Edit prompt"
      verb="Save"
      text={whole.full_prompt}
      onClose={onClose}
      onSubmit={save}
    />
  );
}
