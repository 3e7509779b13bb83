import type { TaskRecord } from '@baton/protocol';
import { attempt } from '../data/attempt.ts';
import { useDaemon } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';

/** Stops a task, or takes its prompt out of the queue; tells whether that was accepted. */
export function useStopTask(): (task: TaskRecord) => Promise<boolean> {
  const { client } = useDaemon();
  return ({ session_id, task_id: taskId }) =>
    attempt(async () => {
      await client.sessions.stopTask(session_id, { taskId });
      makeStale('tasks', 'status');
    });
}
