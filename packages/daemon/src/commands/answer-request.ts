import { BatonError, type RequestAnswer } from '@baton/protocol';
import { checkAnswer, type PendingRequest } from '@baton/runtime';
import { type Records, type RequestRow, recordsOf, requestKey, type Store } from '@baton/store';

export type GivenAnswer = {
  taskId: string;
  requestId: string;
  answer: RequestAnswer;
  by?: string | undefined;
};

/** Whether an answer is on its way to the agent, or came when the request was settled already. */
export type AnswerReceipt = 'accepted' | 'late';

/** Answers a permission request or a question; the first answer counts. */
export function answerRequest(
  store: Store,
  sessionId: string,
  { taskId, requestId, answer, by }: GivenAnswer,
): Promise<AnswerReceipt> {
  return store.log.append(sessionId, async ({ requests }, tx) => {
    const request = requests.get(requestKey(taskId, requestId));
    if (request?.status !== 'pending') {
      if (!request) await checkAsked(recordsOf(tx), sessionId, taskId, requestId);
      return { drafts: [], result: 'late' as const };
    }
    checkAnswer(pendingOf(request), answer);
    return {
      drafts: [{ type: 'answer.given', taskId, requestId, answer, by }],
      result: 'accepted' as const,
    };
  });
}

/** A request as the runtime knows it. */
export function pendingOf(row: RequestRow): PendingRequest {
  return { kind: row.kind, request: JSON.parse(row.request) } as PendingRequest;
}

async function checkAsked(
  { requests }: Records,
  sessionId: string,
  taskId: string,
  requestId: string,
): Promise<void> {
  const where = { session_id: sessionId, task_id: taskId, request_id: requestId };
  const [row] = await requests.find({ where, limit: 1 });
  if (!row) throw new BatonError('not_found', `There is no request "${requestId}" in this task.`);
}
