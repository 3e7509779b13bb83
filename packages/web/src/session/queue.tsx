import type { TaskRecord } from '@baton/protocol';
import { useRef, useState } from 'react';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { IconButton } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { useStable } from '../guard/use-stable.ts';
import { useTasks } from './open-session.tsx';
import { PromptDialog } from './prompt-dialog.tsx';
import styles from './session-composer.module.css';
import { currentTask, queuedTasks } from './status.ts';
import { useStopTask } from './stop-task.ts';

/** The prompts whose turn comes later; they can still be changed or cancelled. */
export function Queue() {
  const tasks = useTasks();
  const [edited, edit] = useState<TaskRecord>();
  const current = currentTask(tasks);
  const queued = queuedTasks(tasks).filter((task) => task !== current);
  return (
    <>
      {queued.length > 0 && (
        <ul className={styles.queue} aria-label="Prompts in the queue" data-focus-home="button">
          {queued.map((task) => (
            <Queued key={task.task_id} task={task} onEdit={() => edit(task)} />
          ))}
        </ul>
      )}
      {edited && <EditDialog task={edited} onClose={() => edit(undefined)} />}
    </>
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
          <IconButton
            small
            unstable={unstable}
            label="Edit the prompt"
            icon="edit"
            onClick={onEdit}
          />
          <IconButton
            small
            unstable={unstable}
            label="Cancel the prompt"
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
  const save = async (full_prompt: string) => {
    await client.tasks.patch(task.task_id, { full_prompt });
    makeStale('tasks');
  };
  return (
    <PromptDialog
      title="Edit the prompt"
      verb="Save"
      text={task.full_prompt}
      onClose={onClose}
      onSubmit={save}
    />
  );
}
