import type { TaskRecord } from '@baton/protocol';
import { useMemo } from 'react';
import { attempt } from '../data/attempt.ts';
import { useDaemon } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { tell } from '../design/toasts.tsx';

/** What can be done with a task from outside its session. */
export function useTaskDeeds() {
  const { client } = useDaemon();
  return useMemo(() => {
    const change = (deed: () => Promise<unknown>) =>
      attempt(async () => {
        await deed();
        makeStale('tasks', 'sessions', 'permissions');
      });
    return {
      retry: ({ session_id, task_id }: TaskRecord) =>
        change(async () => {
          await client.sessions.retryTask(session_id, { taskId: task_id });
          tell('It is tried again, in a copy of its session.');
        }),
      archive: ({ session_id }: TaskRecord) =>
        change(async () => {
          await client.sessions.patch(session_id, { archived: true });
          tell('The session is in the archive.');
        }),
    };
  }, [client]);
}
