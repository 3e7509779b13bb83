import type { BatonClient, FoundId } from '@baton/client';
import { BatonError } from '@baton/protocol/values';
import { oneLine } from '../view/style.ts';

/** So much of an id is shown, and enough to type. */
const SHORT = 8;
const NAMED = 10;
const WIDTH = 60;

type Kind = FoundId['kind'];

/** An id as people see it. */
export function shortId(id: string): string {
  return id.slice(0, SHORT);
}

/** Finds the session, task or request with an id prefix. */
export async function findOne(
  client: BatonClient,
  text: string,
  kinds: readonly Kind[],
): Promise<FoundId> {
  const limit = NAMED + 1;
  const all = text === '' ? [] : await client.ids.find({ prefix: text, limit });
  const found = all.filter(({ kind }) => kinds.includes(kind));
  const exact = found.filter(({ id }) => id === text);
  const meant = exact.length > 0 ? exact : found;
  const [first] = meant;
  if (!first) throw notFound(text, kinds, all);
  if (meant.length > 1) throw ambiguous(text, meant);
  return first;
}

const LISTS: Readonly<Record<Kind, string>> = {
  session: '"baton sessions"',
  task: '"baton tasks"',
  request: '"baton answer"',
};

/** An id of another kind gets an error that names its kind. */
function notFound(text: string, kinds: readonly Kind[], others: readonly FoundId[]): BatonError {
  const [other] = others;
  const message = `No ${kinds.join(' or ')} matches "${text}"`;
  if (other && others.length === 1) {
    const session = `It belongs to session ${shortId(other.session_id)}: use that.`;
    return new BatonError('not_found', `${message}: that is a ${other.kind}.`, {
      hint: kinds.includes('session') ? session : listsOf(kinds),
    });
  }
  return new BatonError('not_found', `${message}.`, { hint: listsOf(kinds) });
}

function listsOf(kinds: readonly Kind[]): string {
  return `See ${kinds.map((kind) => LISTS[kind]).join(' and ')}.`;
}

/** The error for the beginning of an id that several things have. */
export function ambiguous(text: string, found: readonly Pick<FoundId, 'kind' | 'id' | 'about'>[]) {
  const named = found.slice(0, NAMED).map(({ kind, id, about }) => `${kind} ${id} (${about})`);
  const more = found.length > NAMED ? ['…'] : [];
  const lines = [...named, ...more].map((line) => `\n  ${oneLine(line, WIDTH + SHORT)}`);
  return new BatonError('usage', `"${text}" is ambiguous.`, {
    hint: `Use a longer prefix:${lines.join('')}`,
  });
}

/** The one argument of a command. */
export function onlyArgument(positionals: readonly string[], what: string, usage: string): string {
  const [first, ...rest] = positionals;
  if (first === undefined) {
    throw new BatonError('usage', `Missing ${what}.`, { hint: `Use: ${usage}` });
  }
  if (rest.length > 0) {
    throw new BatonError('usage', `Expected only one ${what}.`, { hint: `Use: ${usage}` });
  }
  return first;
}
