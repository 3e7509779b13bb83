import type { Entry, ErrorInfo, Outcome, RequestAnswer, StopReport } from '@baton/protocol';
import type { Draft } from '../events/draft.ts';
import type { SessionState } from '../projection/session-state.ts';
import type { TaskRow } from '../schema/tables.ts';
import type { Said } from './run-events.ts';

export type Ending = {
  outcome: Outcome;
  error?: ErrorInfo | undefined;
  /** Report of the stop, if the task was stopped. */
  stop?: StopReport | undefined;
};

/**
 * The events that end a task whose executor can no longer report: everything that is open ends, then the run. They
 * continue the numbers of its run.
 */
export function endingOf(
  state: SessionState,
  task: TaskRow,
  { outcome, error, stop }: Ending,
  now: number,
): Draft[] {
  const said = openEntries(state, task.task_id).flatMap((entry) => closing(entry) ?? []);
  const completed = {
    type: 'run.completed' as const,
    outcome,
    output: '',
    durationMs: task.started_at === null ? 0 : now - task.started_at,
    ...(error ? { error } : {}),
    ...(stop ? { stop } : {}),
  };
  const ending = inferred(task, [...said, completed], now);
  const { task_id: taskId, executor_id: executorId } = task;
  return executorId === null ? ending : [{ type: 'task.lost', taskId, executorId }, ...ending];
}

/** Events that Baton infers about the run of a task; they continue its numbers. */
export function inferred(task: TaskRow, said: readonly Said[], now: number): Draft[] {
  const { task_id: taskId, run_id, last_seq } = task;
  const common = { time: now, runId: run_id ?? taskId, taskId, synthetic: true };
  return said.map((event, index) => ({ ...event, ...common, seq: last_seq + 1 + index }) as Draft);
}

/**
 * Returns the events that an executor leaves out of its report: requests that were answered are resolved, and all open
 * entries end before the run does.
 */
export function impliedBy(said: readonly Said[], open: readonly Entry[]): Said[] {
  const isEnd = said.some(({ type }) => type === 'run.completed');
  return open
    .flatMap((entry) => settlement(entry) ?? (isEnd ? closing(entry) : undefined) ?? [])
    .map((event) => ({ ...event, synthetic: true }));
}

/** Returns the entries of a task that have not ended. */
export function openEntries(state: SessionState, taskId: string): Entry[] {
  return [...state.open.values()]
    .map(({ entry }) => entry)
    .filter((entry) => entry.taskId === taskId);
}

function settlement(entry: Entry): Said | undefined {
  if (entry.kind !== 'permission' || !entry.answer) return undefined;
  return settledBy(entry.request.requestId, entry.answer);
}

/** The end of a request that has this answer. */
export function settledBy(requestId: string, answer: RequestAnswer): Said {
  const by = answer.by ?? 'person';
  if ('answers' in answer) {
    return { type: 'question.resolved', requestId, by, answers: answer.answers };
  }
  if ('declined' in answer) {
    return { type: 'question.resolved', requestId, by, reason: answer.reason };
  }
  const more =
    answer.decision === 'allow'
      ? { scope: answer.scope, input: answer.input }
      : { reason: answer.reason };
  return { type: 'permission.resolved', requestId, decision: answer.decision, by, ...more };
}

/** Returns the event that ends an open entry without its agent. */
export function closing(entry: Entry): Said | undefined {
  const id = entry.key.split(':').slice(2).join(':');
  switch (entry.kind) {
    case 'text':
    case 'thinking':
      return {
        type: 'message.completed',
        messageId: id,
        kind: entry.kind,
        text: entry.text,
        incomplete: true,
      };
    case 'tool':
      return {
        type: 'tool.completed',
        callId: id,
        name: entry.name,
        action: entry.action,
        outcome: 'cancelled',
      };
    case 'permission':
      return { type: 'permission.resolved', requestId: id, decision: 'cancelled', by: 'stop' };
    case 'question':
      return { type: 'question.resolved', requestId: id, by: 'stop' };
    default:
      return undefined;
  }
}
