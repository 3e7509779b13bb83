import { isDeepStrictEqual } from 'node:util';
import type { PermissionRequest, QuestionRequest, RequestAnswer } from '@baton/protocol';
import type { RequestRow, Store } from '@baton/store';

type CarriedAnswer = { answer: RequestAnswer; by: string | undefined };

/**
 * The answer that a user gave while the task was paused, for the same request of the resumed agent. It applies once, and
 * only to exactly the same action.
 */
export async function carriedAnswer(
  { records }: Store,
  row: RequestRow,
): Promise<CarriedAnswer | undefined> {
  const { task_id, request_id } = row;
  const task = await records.tasks.get(task_id);
  if (!task?.resumed_with) return undefined;
  const ids: readonly string[] = JSON.parse(task.resumed_with);
  const same = (await records.requests.find({ where: { task_id } })).filter(
    (other) => other.request_id !== request_id && isSame(other, row),
  );
  const given = same.find((other) => ids.includes(other.request_id));
  const isUsed = same.some(
    (other) => given && other.asked_at >= (given.answered_at ?? 0) && other !== given,
  );
  if (!given?.answer || isUsed) return undefined;
  return { answer: JSON.parse(given.answer), by: given.answered_by ?? undefined };
}

function isSame(one: RequestRow, other: RequestRow): boolean {
  if (one.kind !== other.kind) return false;
  const [a, b] = [JSON.parse(one.request), JSON.parse(other.request)];
  return one.kind === 'question' ? isSameQuestion(a, b) : isSameAction(a, b);
}

function isSameQuestion(one: QuestionRequest, other: QuestionRequest): boolean {
  return isDeepStrictEqual(one.questions, other.questions);
}

/** Models describe the same command in other words, which are part of the input. */
function isSameAction(one: PermissionRequest, other: PermissionRequest): boolean {
  if (one.tool !== other.tool || !isDeepStrictEqual(one.action, other.action)) return false;
  return one.action.type === 'command' || isDeepStrictEqual(one.input, other.input);
}
