import { isDeepStrictEqual } from 'node:util';
import {
  type AgentEvent,
  BatonError,
  type Entry,
  type EventOf,
  isFinal,
  type PermissionAnswer,
  type RequestAnswer,
  type TaskStatus,
} from '@baton/protocol';
import type { Tx } from '../engine/engine.ts';
import type { Draft } from '../events/draft.ts';
import { requestKey, type SessionState } from '../projection/session-state.ts';
import type { TaskRow } from '../schema/tables.ts';
import { impliedBy, openEntries } from './end-task.ts';
import type { Decision, SessionLog } from './session-log.ts';

/** Events that an executor reports about its run. */
export type RunReport = {
  sessionId: string;
  taskId: string;
  /** The fence of the lease that the executor holds. */
  fence: number;
  events: readonly AgentEvent[];
  /**
   * Called for an event that claims an answer which no person gave. The request is then logged as cancelled instead.
   * Without this callback the whole report is rejected.
   */
  onForgedAnswer?: ((event: AgentEvent) => void) | undefined;
};

/**
 * Appends events of a run, and returns the number of the last one in the log. Events that are already there are skipped;
 * after a gap nothing is accepted, and the reporter resends from the returned number.
 */
export function appendRun(log: SessionLog, report: RunReport): Promise<{ lastSeq: number }> {
  const { sessionId, taskId } = report;
  return log.append(sessionId, async (state, tx) => {
    const task = state.tasks.get(taskId) ?? (await endedTask(tx, report));
    if (isFinal(task.status as TaskStatus)) return repeated(task, report);
    await checkLease(tx, report);
    return newEvents(state, task, report);
  });
}

/** An event of a run before it has its number. */
export type Said = AgentEvent extends infer Event
  ? Event extends AgentEvent
    ? Omit<Event, 'seq' | 'time' | 'runId'>
    : never
  : never;

/**
 * Appends events of a run for an executor that neither numbers them nor reports the outcome of its requests. The events
 * may depend on the open entries of the task. Returns the cursor of the last event.
 */
export function appendSaid(
  log: SessionLog,
  {
    say,
    now,
    ...report
  }: Omit<RunReport, 'events'> & { say(open: readonly Entry[]): readonly Said[]; now: number },
): Promise<number> {
  const { sessionId, taskId } = report;
  return log.append(sessionId, async (state, tx) => {
    const task = state.tasks.get(taskId);
    if (!task) throw new BatonError('lease_lost', `Task "${taskId}" has ended.`);
    await checkLease(tx, { ...report, events: [] });
    const open = openEntries(state, taskId);
    const said = say(open);
    const drafts = [...impliedBy(said, open), ...said].map((event, index) => {
      const seq = task.last_seq + 1 + index;
      return { ...event, seq, time: now, runId: task.run_id ?? taskId, taskId } as Draft;
    });
    return { drafts, result: state.session.head_cursor + drafts.length };
  });
}

function newEvents(
  state: SessionState,
  task: TaskRow,
  { taskId, events, onForgedAnswer }: RunReport,
): Decision<{ lastSeq: number }> {
  const fresh = events.filter(({ seq }) => seq > task.last_seq);
  const isGap = fresh[0] !== undefined && fresh[0].seq !== task.last_seq + 1;
  if (isGap) return { drafts: [], result: { lastSeq: task.last_seq } };
  checkSequence(task, fresh);
  const lastSeq = fresh.at(-1)?.seq ?? task.last_seq;
  const drafts = fresh.map((event) => {
    if (!isForgedAnswer(state, taskId, event)) return { ...event, taskId };
    if (!onForgedAnswer) throw forgedAnswer(event);
    onForgedAnswer(event);
    return { ...withoutAnswer(event), taskId };
  });
  return { drafts, result: { lastSeq } };
}

type Resolution = EventOf<'permission.resolved'> | EventOf<'question.resolved'>;

/** True if an event claims an answer by a person that is not in the log. */
function isForgedAnswer(
  state: SessionState,
  taskId: string,
  event: AgentEvent,
): event is Resolution {
  if (event.type !== 'permission.resolved' && event.type !== 'question.resolved') return false;
  if (event.by !== 'person') return false;
  const { answer } = state.requests.get(requestKey(taskId, event.requestId)) ?? {};
  if (answer === undefined || answer === null) return true;
  const given = JSON.parse(answer) as RequestAnswer;
  if ((given.by ?? 'person') !== 'person') return true;
  return event.type === 'permission.resolved'
    ? !('decision' in given && given.decision === event.decision && isGivenInput(given, event))
    : !isDeepStrictEqual('answers' in given ? given.answers : undefined, event.answers);
}

/** Executors of earlier versions do not repeat the input. */
function isGivenInput(given: PermissionAnswer, { input }: EventOf<'permission.resolved'>): boolean {
  if (input === undefined) return true;
  return given.decision === 'allow' && isDeepStrictEqual(given.input, input);
}

function forgedAnswer({ requestId }: Resolution): BatonError {
  return new BatonError('forbidden', `No user gave this answer to request "${requestId}".`, {
    hint: 'Answers are given with permissions.answer, by a member or an owner.',
  });
}

function withoutAnswer(event: Resolution): Resolution {
  const reason = 'The executor reported an answer that no user gave.';
  if (event.type === 'permission.resolved') {
    const { scope: _scope, input: _input, action: _action, ...rest } = event;
    return { ...rest, decision: 'cancelled', by: 'agent', reason };
  }
  const { answers: _, ...rest } = event;
  return { ...rest, by: 'agent', reason };
}

function checkSequence(task: TaskRow, events: readonly AgentEvent[]): void {
  const runId = task.run_id ?? events[0]?.runId;
  events.forEach((event, index) => {
    const isNext = event.seq === task.last_seq + 1 + index;
    const isLast = event.type !== 'run.completed' || index === events.length - 1;
    if (isNext && isLast && event.runId === runId) return;
    throw new BatonError('usage', `Event ${event.seq} of task "${task.task_id}" is out of order.`);
  });
}

/** Accepts a report again if the executor missed the confirmation; rejects any other report after the end of a task. */
function repeated(task: TaskRow, { events }: RunReport): Decision<{ lastSeq: number }> {
  const reported = task.reported_seq ?? task.last_seq;
  const isRepeated = events.every(({ seq, runId }) => runId === task.run_id && seq <= reported);
  if (isRepeated) return { drafts: [], result: { lastSeq: reported } };
  throw new BatonError('lease_lost', `Task "${task.task_id}" has ended: ${task.status}.`);
}

async function checkLease(tx: Tx, { taskId, fence }: RunReport): Promise<void> {
  const lease = await tx
    .selectFrom('leases')
    .select('fence')
    .where('task_id', '=', taskId)
    .executeTakeFirst();
  if (lease?.fence === fence) return;
  throw new BatonError('lease_lost', `Task "${taskId}" belongs to another executor.`);
}

async function endedTask(tx: Tx, { sessionId, taskId }: RunReport): Promise<TaskRow> {
  const task = await tx
    .selectFrom('tasks')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  if (task) return task;
  throw new BatonError('not_found', `Task "${taskId}" not found in this session.`);
}
