import type { RequestAnswer } from '@baton/protocol';
import type { Tx } from '../engine/engine.ts';
import type { Draft } from '../events/draft.ts';
import { closing, inferred, openEntries, settledBy } from '../log/end-task.ts';
import type { SessionLog } from '../log/session-log.ts';
import type { SessionState } from '../projection/session-state.ts';
import type { LeaseRow, RequestRow, TaskRow } from '../schema/tables.ts';

const PAUSED =
  'The agent was stopped while it was waiting. It resumes when the request is answered.';

/**
 * Pauses a task whose executor is gone while its agent was waiting for answers: its requests stay open. Tells whether it
 * did; a task is not paused if the agent has not named its session, or may have acted on an answer already.
 */
export function pauseTask(
  log: SessionLog,
  { session_id, task_id: taskId, executor_id: executorId, fence }: LeaseRow,
  now: number,
): Promise<boolean> {
  return log.append<boolean>(session_id, async (state, tx) => {
    const task = state.tasks.get(taskId);
    if (!task || !isWaiting(state, task) || !(await withdraw(tx, taskId, fence))) {
      return { drafts: [], result: false };
    }
    const interrupted = openEntries(state, taskId)
      .filter(({ kind }) => kind !== 'permission' && kind !== 'question')
      .flatMap((entry) => closing(entry) ?? []);
    return {
      drafts: [
        { type: 'task.paused', taskId, executorId },
        ...inferred(task, interrupted, now),
        { type: 'session.notice', taskId, level: 'info', code: 'task_paused', message: PAUSED },
      ],
      result: true,
    };
  });
}

/**
 * The events that follow an answer to a request of a paused task: once every request has its answer, they are settled
 * and the task is queued again.
 */
export function resumingBy(
  state: SessionState,
  task: TaskRow,
  given: { requestId: string; answer: RequestAnswer },
  now: number,
): Draft[] {
  const requests = requestsOf(state, task.task_id);
  const isMissing = ({ status, request_id }: RequestRow) =>
    status === 'pending' && request_id !== given.requestId;
  if (requests.some(isMissing)) return [];
  const answerTo = ({ request_id, answer }: RequestRow): RequestAnswer =>
    request_id === given.requestId ? given.answer : JSON.parse(answer ?? 'null');
  const settled = requests.map((row) => settledBy(row.request_id, answerTo(row)));
  const requestIds = requests.map(({ request_id }) => request_id);
  return [
    ...inferred(task, settled, now),
    { type: 'task.resumed', taskId: task.task_id, requestIds },
  ];
}

function isWaiting(state: SessionState, task: TaskRow): boolean {
  if (task.status !== 'AWAITING_PERMISSION' || task.native_session_id === null) return false;
  const requests = requestsOf(state, task.task_id);
  return requests.length > 0 && requests.every(({ status }) => status === 'pending');
}

function requestsOf({ requests }: SessionState, taskId: string): RequestRow[] {
  return [...requests.values()].filter(({ task_id }) => task_id === taskId);
}

async function withdraw(tx: Tx, taskId: string, fence: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('leases')
    .where('task_id', '=', taskId)
    .where('fence', '=', fence)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
