import type { BatonClient, PendingRecord } from '@baton/client';
import { actionLine, BatonError } from '@baton/protocol/values';
import { ambiguous, shortId } from './find-one.ts';

const AT_ONCE = 1000;

/** All pending requests, oldest first. */
export async function readInbox(client: BatonClient): Promise<PendingRecord[]> {
  return (await client.permissions.find({ limit: AT_ONCE })).data;
}

/** The id to type for a request: never its task alone, which may ask something else by then. */
export function shortRequest({
  task_id,
  request_id,
}: Pick<PendingRecord, 'task_id' | 'request_id'>): string {
  return `${shortId(task_id)}:${request_id}`;
}

/** The request with this id or `TASK:REQUEST`; undefined if it is already settled. */
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

/** A summary of a request in one line. */
export function requestWords({ kind, request }: PendingRecord): string {
  if (kind === 'permission') return actionLine(request.tool, request.action);
  return request.questions.map(({ question }) => question).join(' ');
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

/** Checks that the request exists. */
async function checkSettled(client: BatonClient, text: string): Promise<undefined> {
  const [, request] = partsOf(text);
  const found = request === '' ? [] : await client.ids.find({ prefix: request, limit: 100 });
  const isKnown = found.some(({ kind, id, task_id }) => {
    return kind === 'request' && isMeant({ request_id: id, task_id: task_id ?? '' }, text);
  });
  if (isKnown) return;
  throw new BatonError('not_found', `No request matches "${text}".`, {
    hint: 'Run "baton answer" to list the pending requests.',
  });
}
