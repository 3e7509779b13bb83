import type { BatonClient } from '@baton/client';
import { type EventOf, statusOfOutcome, type TaskStatus } from '@baton/protocol';

/** Result of stopping a task. */
export type StopEnd = {
  task_id: string;
  /**
   * `cancelled`: it was queued or paused. `stopped`: verified. `unverified`: not verified. `finished`: it finished first. `ended`:
   * it had ended before. `stopping`: not waited for.
   */
  end: 'cancelled' | 'stopped' | 'unverified' | 'finished' | 'ended' | 'stopping';
  status: TaskStatus;
  reason?: string | undefined;
};

export type StopOrder = {
  sessionId: string;
  /** Stopped in this order. */
  taskIds: readonly string[];
  reason: string | undefined;
  wait: boolean;
};

/** Stops tasks of one session, and returns the result of each once all of them have stopped. */
export async function stopTasks(client: BatonClient, order: StopOrder): Promise<StopEnd[]> {
  const { sessionId, taskIds, reason, wait } = order;
  const { head_cursor: after } = await client.sessions.get(sessionId);
  const ends = new Map<string, StopEnd>();
  for (const taskId of taskIds) {
    const { receipt, task } = await client.sessions.stopTask(sessionId, {
      task_id: taskId,
      reason,
    });
    ends.set(taskId, { task_id: taskId, end: receipt, status: task.status });
  }
  const isStopping = () => [...ends.values()].some(({ end }) => end === 'stopping');
  if (!wait || !isStopping()) return [...ends.values()];
  for await (const event of client.follow(sessionId, { after })) {
    if (event.type !== 'run.completed') continue;
    if (ends.get(event.taskId)?.end === 'stopping') ends.set(event.taskId, endOf(event));
    if (!isStopping()) break;
  }
  return [...ends.values()];
}

function endOf(event: EventOf<'run.completed'> & { taskId: string }): StopEnd {
  const status = statusOfOutcome(event.outcome);
  const task_id = event.taskId;
  if (event.stop?.state === 'unverified') {
    return { task_id, end: 'unverified', status, reason: event.stop.reason };
  }
  // Baton gave it up: its end was not seen.
  if (event.outcome === 'failed' && event.error?.code === 'interrupted') {
    return { task_id, end: 'unverified', status, reason: event.error.message };
  }
  return { task_id, end: event.outcome === 'cancelled' ? 'stopped' : 'finished', status };
}
