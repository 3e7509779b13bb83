import type { BatonClient } from '@baton/client';
import type { TaskRecord } from '@baton/protocol';
import { attempt } from '../../data/attempt.ts';
import { useDaemon } from '../../data/daemon.tsx';
import { makeStale } from '../../data/queries.ts';

/** Stops a running task or cancels a queued one. */
export async function stopTask(
  client: BatonClient,
  { session_id, task_id: taskId }: TaskRecord,
): Promise<void> {
  await client.sessions.stopTask(session_id, { task_id: taskId });
  makeStale('tasks', 'sessions', 'permissions', 'status');
}

/** Stops a task and shows an error if that fails; returns whether it was accepted. */
export function useStopTask(): (task: TaskRecord) => Promise<boolean> {
  const { client } = useDaemon();
  return (task) => attempt(() => stopTask(client, task));
}
