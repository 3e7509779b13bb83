import {
  actionWords,
  type PermissionRequest,
  type QuestionRequest,
  type RequestAnswer,
} from '@baton/protocol';
import type { RequestRow, Store, TaskRow } from '@baton/store';

const INTRODUCTION =
  'Your process was stopped while you were waiting for the user. The user has answered since:';
const CLOSING =
  'Continue the task from there. What was allowed has not been done yet: repeat the call if it is still needed.';

/**
 * The message with which the agent of a paused task resumes: how the user answered its requests. Nothing for a task that
 * was not paused.
 */
export async function continuationOf(
  store: Store,
  { task_id, resumed_with }: TaskRow,
  cwd: string,
): Promise<string | null> {
  if (resumed_with === null) return null;
  const ids: readonly string[] = JSON.parse(resumed_with);
  const rows = await store.records.requests.find({ where: { task_id } });
  const answered = rows.filter(({ request_id }) => ids.includes(request_id));
  const lines = answered.flatMap((row) => answerLines(row, cwd));
  return [INTRODUCTION, lines.map((line) => `- ${line}`).join('\n'), CLOSING].join('\n\n');
}

function answerLines({ kind, request, answer }: RequestRow, cwd: string): string[] {
  const given = JSON.parse(answer ?? 'null') as RequestAnswer;
  return kind === 'permission'
    ? [decisionLine(JSON.parse(request), given, cwd)]
    : (JSON.parse(request) as QuestionRequest).questions.map(
        ({ id, question }) => `${question} ${chosen(given, id)}`,
      );
}

function decisionLine(
  { tool, action }: PermissionRequest,
  answer: RequestAnswer,
  cwd: string,
): string {
  const words = actionWords(tool, action, cwd);
  if ('decision' in answer && answer.decision === 'allow') {
    const edited =
      answer.input === undefined ? '' : `, with this input: ${JSON.stringify(answer.input)}`;
    return `Allowed: ${words}${edited}`;
  }
  const reason = 'reason' in answer && answer.reason ? ` (${answer.reason})` : '';
  return `Denied: ${words}${reason}`;
}

function chosen(answer: RequestAnswer, questionId: string): string {
  const words = 'answers' in answer ? answer.answers[questionId]?.join(', ') : undefined;
  return words === undefined ? '(not answered)' : `Answer: ${words}`;
}
