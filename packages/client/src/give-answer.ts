import type { RequestAnswer } from '@baton/protocol';
import type { NewAnswer } from '@baton/protocol/wire';
import type { BatonClient } from './baton-client.ts';
import { retryWhileUnreachable } from './retry-while-unreachable.ts';

/**
 * Sends an answer until the daemon has received it. If the first attempt arrived but its response was lost, the receipt
 * of a retry is still `accepted`.
 */
export function giveAnswer(
  client: BatonClient,
  given: NewAnswer,
  after = 0,
): Promise<'accepted' | 'late'> {
  return retryWhileUnreachable(async (attempt) => {
    const { receipt } = await client.permissions.answer(given);
    if (receipt === 'accepted' || attempt === 0) return receipt;
    return (await isOurs(client, given, after)) ? 'accepted' : 'late';
  }, client.connection.closed);
}

/** True if the first answer to the request, the one that counts, is this one. */
async function isOurs(client: BatonClient, given: NewAnswer, after: number): Promise<boolean> {
  for await (const event of client.follow(given.session_id, { after })) {
    if (!('requestId' in event) || !('taskId' in event)) continue;
    if (event.requestId !== given.request_id || event.taskId !== given.task_id) continue;
    if (event.type === 'answer.given') return isSame(event.answer, given.answer);
    // The agent, a rule or a stop was quicker than any person.
    if (event.type.endsWith('.resolved')) return false;
  }
  return false;
}

/** Compares without `by`, which the daemon adds. */
function isSame(one: RequestAnswer, other: RequestAnswer): boolean {
  return textOf({ ...one, by: undefined }) === textOf({ ...other, by: undefined });
}

/** Serializes a value with sorted keys. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
