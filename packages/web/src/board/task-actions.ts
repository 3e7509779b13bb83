import type { TaskRecord } from '@baton/protocol';
import { useMemo } from 'react';
import { attempt } from '../data/attempt.ts';
import { useDaemon } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { tell } from '../design/toasts.tsx';

/** The actions on a task outside its session. */
export function useTaskActions() {
  const { client } = useDaemon();
  return useMemo(() => {
    const change = (action: () => Promise<unknown>) =>
      attempt(async () => {
        await action();
        makeStale('tasks', 'sessions', 'permissions');
      });
    return {
      retry: ({ session_id, task_id }: TaskRecord) =>
        change(async () => {
          await client.sessions.retryTask(session_id, { task_id });
          tell('Retrying in a fork.');
        }),
      archive: ({ session_id }: TaskRecord) =>
        change(async () => {
          await client.sessions.patch(session_id, { archived: true });
          tell('Session archived.');
        }),
    };
  }, [client]);
}
