import type { TaskRecord } from '@baton/protocol';
import { useState } from 'react';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { IconButton } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { useTasks } from './open-session.tsx';
import { PromptDialog } from './prompt-dialog.tsx';
import styles from './session-composer.module.css';
import { currentTask, queuedTasks } from './status.ts';
import { useStopTask } from './stop-task.ts';

/** The prompts whose turn comes later; they can still be changed or cancelled. */
export function Queue() {
  const may = useMay('member');
  const tasks = useTasks();
  const [edited, edit] = useState<TaskRecord>();
  const current = currentTask(tasks);
  const queued = queuedTasks(tasks).filter((task) => task !== current);
  const cancel = useStopTask();
  return (
    <>
      {queued.length > 0 && (
        <ul className={styles.queue} aria-label="Prompts in the queue">
          {queued.map((task) => (
            <li key={task.task_id} className={styles.queued}>
              <Icon name="queue" size={15} />
              <span className={`cut-line ${styles.queuedText}`} dir="auto">
                {task.full_prompt}
              </span>
              {may && (
                <>
                  <IconButton
                    small
                    label="Edit the prompt"
                    icon="edit"
                    onClick={() => edit(task)}
                  />
                  <IconButton
                    small
                    label="Cancel the prompt"
                    icon="close"
                    onClick={() => cancel(task)}
                  />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {edited && <EditDialog task={edited} onClose={() => edit(undefined)} />}
    </>
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
