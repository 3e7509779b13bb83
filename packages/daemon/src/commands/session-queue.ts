import {
  endingOf,
  type SessionDraft,
  type SessionState,
  type Store,
  type TaskRow,
} from '@baton/store';

type By = { by?: string | undefined };

/** The tasks of a session whose turn has not come. */
export function queuedTasks({ tasks }: SessionState): TaskRow[] {
  return [...tasks.values()].filter(({ status }) => status === 'QUEUED');
}

/** The events that let a queue go on; none when it is not paused. */
export function resumption({ session }: SessionState, { by }: By): SessionDraft[] {
  return session.queue_paused ? [{ type: 'queue.resumed', by }] : [];
}

/** Lets the queued tasks of a session run again after a stop has paused them. */
export async function resumeQueue(store: Store, sessionId: string, by: By): Promise<void> {
  await store.log.append(sessionId, (state) => ({
    drafts: resumption(state, by),
    result: undefined,
  }));
}

/** Cancels every queued task of a session and ends the pause of its queue; returns their ids. */
export function clearQueue(store: Store, sessionId: string, { by }: By): Promise<string[]> {
  return store.log.append(sessionId, (state) => {
    const queued = queuedTasks(state);
    const ends = queued.flatMap((task) => [
      { type: 'stop.requested' as const, taskId: task.task_id, by },
      ...endingOf(state, task, { outcome: 'cancelled' }, store.now()),
    ]);
    return {
      drafts: [...ends, ...resumption(state, { by })],
      result: queued.map(({ task_id }) => task_id),
    };
  });
}
