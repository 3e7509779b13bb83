import type { TaskRecord } from '@baton/protocol';
import { useDaemon } from '../data/daemon.tsx';
import { FormDialog } from '../data/form-dialog.tsx';
import { makeStale } from '../data/queries.ts';
import { promptWords } from '../text/prompt-words.ts';

/** Asks before a task is ended that was only dragged: a hand slips easily. */
export function StopQuestion({ task, onClose }: { task: TaskRecord; onClose: () => void }) {
  const { client } = useDaemon();
  const { session_id, task_id, status } = task;
  const isQueued = status === 'QUEUED';
  const stop = async () => {
    await client.sessions.stopTask(session_id, { taskId: task_id });
    makeStale('tasks', 'sessions', 'permissions', 'status');
  };
  return (
    <FormDialog
      title={isQueued ? 'Cancel the task?' : 'Stop the agent?'}
      open
      onClose={onClose}
      verb={isQueued ? 'Cancel the task' : 'Stop it'}
      back={isQueued ? 'Keep it' : 'Let it work'}
      danger
      onSubmit={stop}
    >
      <p dir="auto">
        <strong>{promptWords(task)}</strong>
      </p>
      <p>
        {isQueued
          ? 'It leaves the queue. You can try it again later.'
          : 'What it has done so far stays. You can try it again later, in a copy of its session.'}
      </p>
    </FormDialog>
  );
}
