import { isTaskEvent, isWorkspaceEvent } from '@baton/protocol';
import type { Tx } from '../engine/engine.ts';
import { readEvents } from '../events/log-row.ts';
import type { SessionLog } from '../log/session-log.ts';
import type { LeaseRow, TaskRow } from '../schema/tables.ts';

/** A task fails after this many executors have ended before starting its agent. */
export const MAX_FAILED_STARTS = 3;
const PAGE = 1000;

/**
 * Outcome for a task whose executor is gone. `requeued`: no agent has seen the task, so it is queued again at its old
 * position. `gives up`: that has happened too often. `kept`: an agent may have seen the task, or the task is being
 * stopped or has ended.
 */
export type Requeueing = 'requeued' | 'gives up' | 'kept';

/**
 * Requeues a task that no agent has seen. Withdraws its lease in the same transaction, so that an executor that is still
 * alive cannot start the agent.
 */
export function requeueTask(
  log: SessionLog,
  { session_id, task_id: taskId, executor_id: executorId, fence }: LeaseRow,
  { hadExecutor, isGivenBack = false }: { hadExecutor: boolean; isGivenBack?: boolean },
): Promise<Requeueing> {
  return log.append<Requeueing>(session_id, async ({ tasks }, tx) => {
    const task = tasks.get(taskId);
    if (task?.status !== 'RUNNING') return { drafts: [], result: 'kept' };
    // An executor that gives a task back has reported that, and no more than that, it tried to start the agent.
    const isNew = isGivenBack || task.resumed_with !== null || !(await hasSpoken(tx, task));
    if (!isNew || (await hasStarted(tx, taskId, fence))) return { drafts: [], result: 'kept' };
    // A daemon that dies before it starts an executor says nothing about the task.
    const failedStarts = task.failed_starts + Number(hadExecutor);
    if (hadExecutor && failedStarts >= MAX_FAILED_STARTS) return { drafts: [], result: 'gives up' };
    if (!(await withdrawUnstarted(tx, taskId, fence))) return { drafts: [], result: 'kept' };
    const lastStartedAt = await lastStart(tx, session_id, taskId);
    return {
      drafts: [{ type: 'task.requeued', taskId, executorId, failedStarts, lastStartedAt }],
      result: 'requeued',
    };
  });
}

/** True if events of an agent were reported; those about the workspace come before it starts. */
async function hasSpoken(tx: Tx, { session_id, task_id, position, last_seq }: TaskRow) {
  for (let after = position; last_seq > 0; ) {
    const { events } = await readEvents(tx, session_id, after, PAGE);
    const last = events.at(-1);
    if (!last) break;
    const said = events.filter((event) => 'taskId' in event && event.taskId === task_id);
    if (said.some((event) => isTaskEvent(event) && !isWorkspaceEvent(event))) return true;
    after = last.cursor;
  }
  return false;
}

async function hasStarted(tx: Tx, taskId: string, fence: number): Promise<boolean> {
  const lease = await tx
    .selectFrom('leases')
    .select(['agent_started', 'fence'])
    .where('task_id', '=', taskId)
    .executeTakeFirst();
  return lease?.fence !== fence || lease.agent_started === 1;
}

/** Withdraws a lease unless the agent may have started under it; returns true if it was withdrawn. */
async function withdrawUnstarted(tx: Tx, taskId: string, fence: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('leases')
    .where('task_id', '=', taskId)
    .where('fence', '=', fence)
    .where('agent_started', '=', 0)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns the time at which the session last started another task, which decides its turn among the sessions. */
async function lastStart(tx: Tx, sessionId: string, taskId: string): Promise<number> {
  const row = await tx
    .selectFrom('tasks')
    .select(({ fn }) => fn.max('started_at').as('at'))
    .where('session_id', '=', sessionId)
    .where('task_id', '!=', taskId)
    .executeTakeFirst();
  return Number(row?.at ?? 0);
}
