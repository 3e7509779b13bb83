import type { BatonClient, PendingRecord } from '@baton/client';
import { actionLine, BatonError, type PermissionRequest, type Question } from '@baton/protocol';
import { ambiguous, shortId } from './find-one.ts';

const AT_ONCE = 1000;

/** Everything that waits for a person, what waits longest first. */
export async function readInbox(client: BatonClient): Promise<PendingRecord[]> {
  return (await client.permissions.find({ limit: AT_ONCE })).data;
}

/** What to type for a request: never its task alone, which may ask something else by the time it is typed. */
export function shortRequest({
  task_id,
  request_id,
}: Pick<PendingRecord, 'task_id' | 'request_id'>): string {
  return `${shortId(task_id)}:${request_id}`;
}

/** The request that somebody means, by its own id or by `TASK:REQUEST`. Nothing when it is settled already. */
export async function findRequest(
  client: BatonClient,
  text: string,
): Promise<PendingRecord | undefined> {
  const inbox = text === '' ? [] : await readInbox(client);
  const meant = inbox.filter((request) => isMeant(request, text));
  const [first] = meant;
  if (!first) return checkSettled(client, text);
  if (meant.length === 1) return first;
  throw ambiguous(
    text,
    meant.map((request) => ({
      kind: 'request' as const,
      id: `${shortId(request.task_id)}:${request.request_id}`,
      about: requestWords(request),
    })),
  );
}

/** What a request is about, in one line. */
export function requestWords({ kind, request }: PendingRecord): string {
  if (kind === 'question') {
    return questionsOf(request)
      .map(({ question }) => question)
      .join(' ');
  }
  const { tool, action } = request as unknown as PermissionRequest;
  return actionLine(tool, action);
}

/** The questions of a request that asks some. */
export function questionsOf(request: Record<string, unknown>): Question[] {
  return (request as { questions?: Question[] }).questions ?? [];
}

function isMeant(place: Place, text: string): boolean {
  const { request_id, task_id } = place;
  if (request_id === text) return true;
  const [task, request] = partsOf(text);
  return task !== '' && task_id.startsWith(task) && request_id === request;
}

type Place = Pick<PendingRecord, 'task_id' | 'request_id'>;

/** The parts of `TASK:REQUEST`; without a colon there is no task. */
function partsOf(text: string): [task: string, request: string] {
  const colon = text.indexOf(':');
  return colon === -1 ? ['', text] : [text.slice(0, colon), text.slice(colon + 1)];
}

/** Makes sure that there was such a request. */
async function checkSettled(client: BatonClient, text: string): Promise<undefined> {
  const [, request] = partsOf(text);
  const found = request === '' ? [] : await client.ids.find({ prefix: request, limit: 100 });
  const isKnown = found.some(({ kind, id, task_id }) => {
    return kind === 'request' && isMeant({ request_id: id, task_id: task_id ?? '' }, text);
  });
  if (isKnown) return;
  throw new BatonError('not_found', `There is no request "${text}".`, {
    hint: 'The list of "baton answer" says what to type for each.',
  });
}
