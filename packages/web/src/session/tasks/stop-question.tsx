import type { TaskRecord } from '@baton/protocol';
import { useDaemon } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { useRecords } from '../../data/queries.ts';
import { count } from '../../text/amounts.ts';
import { promptWords } from '../../text/prompt-words.ts';
import { stopTask } from './stop-task.ts';

type Props = { task: TaskRecord; onClose: () => void; onStopped?: () => void };

/** Asks before a task is ended by a drag or a key: a hand slips easily. Who presses a button named Stop is not asked. */
export function StopQuestion({ task, onClose, onStopped }: Props) {
  const { client } = useDaemon();
  const isQueued = task.status === 'QUEUED';
  const stop = async () => {
    await stopTask(client, task);
    onStopped?.();
  };
  return (
    <FormDialog
      title={isQueued ? 'Cancel the task?' : 'Stop the agent?'}
      open
      onClose={onClose}
      verb={isQueued ? 'Cancel the task' : 'Stop'}
      back={isQueued ? 'Keep in queue' : 'Keep running'}
      danger
      onSubmit={stop}
    >
      <p dir="auto">
        <strong>{promptWords(task)}</strong>
      </p>
      <p>
        {isQueued
          ? 'It will be removed from the queue. You can retry it later.'
          : 'Changes made so far are kept. You can send a follow-up or retry in a fork.'}
      </p>
      {!isQueued && <PausedQueue sessionId={task.session_id} />}
    </FormDialog>
  );
}

/** A stop pauses the queue of its session. */
function PausedQueue({ sessionId }: { sessionId: string }) {
  const { data } = useRecords(['tasks', sessionId, 'queued'], (client) =>
    client.tasks.find({ session_id: sessionId, status: ['QUEUED'], limit: 1 }),
  );
  if (!data?.total) return null;
  return (
    <p>
      {data.total === 1
        ? 'The queued prompt waits until you resume the queue.'
        : `${count(data.total)} queued prompts wait until you resume the queue.`}
    </p>
  );
}
