import type { PendingRequest } from '@baton/engine/definition/backend';
import { checkAnswer } from '@baton/engine/run/check-answer';
import {
  BatonError,
  isPaused,
  type PermissionRequest,
  type PermissionScope,
  type RequestAnswer,
} from '@baton/protocol';
import {
  type Draft,
  endingOf,
  type Records,
  type RequestRow,
  recordsOf,
  requestKey,
  resumingBy,
  type SessionRow,
  type SessionState,
  type Store,
  type TaskRow,
} from '@baton/store';
import { rulesForAnswer } from '../rules/rule-for-answer.ts';

export type GivenAnswer = {
  taskId: string;
  requestId: string;
  answer: RequestAnswer;
  by?: string | undefined;
  /** The pattern that an answer with a longer scope allows; an exact match by default. */
  pattern?: string | undefined;
  /** Paths that no pattern allows to edit, in addition to the built-in list. */
  protectedPaths?: readonly string[] | undefined;
};

/** Result of an answer: accepted, or late because the request was already settled. */
export type AnswerReceipt = 'accepted' | 'late';

/** The scopes of an answer, whatever the agent itself supports: Baton stores the rules. */
const SCOPES: PermissionScope[] = ['once', 'session', 'always'];

/** Answers a permission request or a question; the first answer wins. */
export function answerRequest(
  store: Store,
  sessionId: string,
  given: GivenAnswer,
): Promise<AnswerReceipt> {
  const { taskId, requestId, answer, by } = given;
  return store.log.append(sessionId, async (state, tx) => {
    const { requests, session, tasks } = state;
    const row = requests.get(requestKey(taskId, requestId));
    if (row?.status !== 'pending') {
      if (!row) await checkAsked(recordsOf(tx), sessionId, taskId, requestId);
      return { drafts: [], result: 'late' as const };
    }
    const pending = pendingOf(row);
    checkAnswer(pending, answer);
    await keepRules(recordsOf(tx), pending, session, given, store.now());
    const task = tasks.get(taskId);
    const followUp = task && isPaused(task) ? resumption(state, task, given, store.now()) : [];
    return {
      drafts: [{ type: 'answer.given', taskId, requestId, answer, by }, ...followUp],
      result: 'accepted' as const,
    };
  });
}

/** A paused task has no agent that could follow an answer. */
function resumption(
  state: SessionState,
  task: TaskRow,
  { requestId, answer }: GivenAnswer,
  now: number,
): Draft[] {
  if ('stop' in answer && answer.stop) return endingOf(state, task, { outcome: 'cancelled' }, now);
  return resumingBy(state, task, { requestId, answer }, now);
}

/** A request in the form of the runtime. */
function pendingOf(row: RequestRow): PendingRequest {
  const request = JSON.parse(row.request);
  return row.kind === 'permission'
    ? { kind: 'permission', request: { ...(request as PermissionRequest), scopes: SCOPES } }
    : { kind: 'question', request };
}

async function keepRules(
  { rules }: Records,
  pending: PendingRequest,
  session: SessionRow,
  { answer, by, pattern, protectedPaths }: GivenAnswer,
  at: number,
): Promise<void> {
  const scope = 'scope' in answer ? (answer.scope ?? 'once') : 'once';
  if (pending.kind !== 'permission' || scope === 'once') {
    if (pattern === undefined) return;
    throw new BatonError('usage', 'A pattern requires the scope "session" or "always".');
  }
  if ('input' in answer && answer.input !== undefined) {
    throw new BatonError('usage', 'Edited input can only be allowed once.');
  }
  const made = rulesForAnswer(pending.request, session, {
    ...{ scope, pattern, protectedPaths, by, at },
  });
  for (const rule of made) await rules.insert(rule);
}

async function checkAsked(
  { requests }: Records,
  sessionId: string,
  taskId: string,
  requestId: string,
): Promise<void> {
  const where = { session_id: sessionId, task_id: taskId, request_id: requestId };
  const [row] = await requests.find({ where, limit: 1 });
  if (!row) throw new BatonError('not_found', `Request "${requestId}" not found in this task.`);
}
