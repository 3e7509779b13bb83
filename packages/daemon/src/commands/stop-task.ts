import { BatonError, isPaused } from '@baton/protocol';
import {
  type Ending,
  endingOf,
  type Records,
  recordsOf,
  type SessionDraft,
  type SessionState,
  type Store,
} from '@baton/store';
import { queuedTasks, resumption } from './session-queue.ts';

export type StopRequest = {
  taskId: string;
  by?: string | undefined;
  reason?: string | undefined;
};

/** The effect of a stop: a queued or paused task is cancelled at once, a running one is asked to stop, others have ended. */
export type StopReceipt = 'cancelled' | 'stopping' | 'ended';

/**
 * Asks for the end of a task; it is committed before anybody hears of it. When a person stops a task that runs or is
 * paused, the queue of its session is paused.
 */
export function stopTask(
  store: Store,
  sessionId: string,
  { taskId, by, reason }: StopRequest,
): Promise<StopReceipt> {
  return store.log.append(sessionId, async (state, tx) => {
    const task = state.tasks.get(taskId);
    if (!task) {
      await checkExists(recordsOf(tx), sessionId, taskId);
      return { drafts: [], result: 'ended' as const };
    }
    if (task.status === 'STOPPING') return { drafts: [], result: 'stopping' as const };
    const stop = { type: 'stop.requested' as const, taskId, by, reason };
    if (task.status !== 'QUEUED' && !isPaused(task)) {
      return { drafts: [stop, ...pause(state, by)], result: 'stopping' as const };
    }
    const end = endingOf(state, task, { outcome: 'cancelled' }, store.now());
    if (isPaused(task)) return { drafts: [stop, ...end, ...pause(state, by)], result: 'cancelled' };
    // Without other queued tasks there is nothing to pause.
    const others = queuedTasks(state).filter(({ task_id }) => task_id !== taskId);
    const resumed = others.length === 0 ? resumption(state, { by }) : [];
    return { drafts: [stop, ...end, ...resumed], result: 'cancelled' as const };
  });
}

/** A stop by Baton itself, such as for an unanswered request, does not pause the queue. */
function pause(state: SessionState, by: string | undefined): SessionDraft[] {
  if (by === undefined || state.session.queue_paused || queuedTasks(state).length === 0) return [];
  return [{ type: 'queue.paused', by }];
}

/** Ends a task without its executor, unless it has ended already; tells whether it did. */
export function endTask(
  store: Store,
  sessionId: string,
  taskId: string,
  ending: Ending,
): Promise<boolean> {
  return store.log.append(sessionId, (state) => {
    const task = state.tasks.get(taskId);
    if (!task) return { drafts: [], result: false };
    return { drafts: endingOf(state, task, ending, store.now()), result: true };
  });
}

async function checkExists({ tasks }: Records, sessionId: string, taskId: string): Promise<void> {
  const task = await tasks.get(taskId);
  if (task?.session_id === sessionId) return;
  throw new BatonError('not_found', `Task "${taskId}" not found in this session.`);
}
