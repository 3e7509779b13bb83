import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BatonClient, randomId } from '@baton/client';
import { BatonError, placeWords, type ReviewComment } from '@baton/protocol/values';
import { type Command, isSet, type Parsed, textOf } from '../../arguments/command.ts';
import { EXIT } from '../../exit-codes.ts';
import { findOne, shortId } from '../../remote/find-one.ts';
import { DAEMON_OPTIONS, withDaemon } from '../../remote/with-daemon.ts';
import { askYes } from '../../terminal/ask-yes.ts';
import { editFile } from '../../terminal/editor.ts';
import { safe } from '../../view/style.ts';
import { readComments, reviewText, type WrittenComment } from './review-text.ts';

export const review: Command = {
  name: 'review',
  summary: 'Comment on lines of a change and send the comments to the agent.',
  usage: 'baton review [options] [SESSION]',
  options: {
    base: { type: 'boolean', about: 'everything since the base of the branch' },
    turn: { type: 'boolean', about: 'only the latest turn' },
    on: {
      type: 'string',
      value: 'PLACE',
      about: 'comment on FILE, FILE:LINE or FILE:FIRST-LAST with -m, without an editor',
    },
    message: { type: 'string', short: 'm', value: 'TEXT', about: 'the comment for --on' },
    list: { type: 'boolean', about: 'list the comments' },
    send: { type: 'boolean', about: 'send the drafts without asking' },
    keep: { type: 'boolean', about: 'keep the comments as drafts' },
    cwd: {
      type: 'string',
      short: 'C',
      value: 'DIR',
      about: 'folder of the session',
      choices: 'files',
    },
    json: { type: 'boolean', about: 'print JSON' },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'Opens the change of a session in the editor of VISUAL or EDITOR. Lines that begin with "# " are',
    'comments on the line above them; they are sent to the agent together, as one prompt.',
    'Without SESSION, the last session of the daemon in this folder. The page shows the same comments.',
  ],
  run: (parsed) => withDaemon(review, parsed, (client) => run(client, parsed)),
};

async function run(client: BatonClient, parsed: Parsed): Promise<number> {
  const [name, ...rest] = parsed.positionals;
  if (rest.length > 0) throw new BatonError('usage', 'Pass one session.');
  const session_id =
    name === undefined
      ? await sessionIn(client, resolve(textOf(parsed, 'cwd') ?? '.'))
      : (await findOne(client, name, ['session'])).id;
  if (isSet(parsed, 'list')) return list(client, session_id, isSet(parsed, 'json'));
  const compare = isSet(parsed, 'turn') ? 'turn' : isSet(parsed, 'base') ? 'base' : 'session';
  const { from, to, total } = await client.changes.find({ session_id, compare });
  const place = textOf(parsed, 'on');
  if (total === 0 && place === undefined) {
    process.stdout.write('No changes.\n');
    return EXIT.done;
  }
  const { patch, cut } = await client.changes.diff({ session_id, from, to });
  if (cut && place === undefined) {
    throw new BatonError('too_large', 'The change is too large for an editor.', {
      hint: 'Comment with --on FILE:LINE -m TEXT, or on the page.',
    });
  }
  const written =
    place === undefined
      ? await edited(patch)
      : [commentOn(place, textOf(parsed, 'message'), patch)];
  for (const comment of written) {
    const tree = comment.side === 'old' ? from : to;
    await client.reviewComments.create({ session_id, ...comment, tree });
  }
  return send(client, parsed, session_id);
}

/** The last session that worked in a folder. */
async function sessionIn(client: BatonClient, cwd: string): Promise<string> {
  const { data } = await client.sessions.find({ cwd, limit: 1 });
  const [session] = data;
  if (session) return session.session_id;
  throw new BatonError('not_found', `The daemon has no session in ${cwd}.`, {
    hint: 'Name one from "baton sessions".',
  });
}

/** Lets the person write comments into the patch. */
async function edited(patch: string): Promise<WrittenComment[]> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-review-'));
  try {
    const file = join(folder, 'review.diff');
    writeFileSync(file, reviewText(patch), { mode: 0o600 });
    const code = await editFile(file);
    if (code !== 0) {
      throw new BatonError('usage', `The editor exited with ${code}. Nothing was commented.`);
    }
    return readComments(readFileSync(file, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PLACE = /^(.+?)(?::(\d+)(?:-(\d+))?)?$/s;

function commentOn(place: string, text: string | undefined, patch: string): WrittenComment {
  if (!text?.trim()) {
    throw new BatonError('usage', 'The comment has no text.', { hint: 'Pass it with -m.' });
  }
  const [, path = '', first, last = first] = PLACE.exec(place) ?? [];
  const line = first === undefined ? null : Number(first);
  const end_line = last === undefined ? null : Number(last);
  if (line !== null && (line < 1 || (end_line ?? line) < line)) {
    throw new BatonError('usage', `"${place}" is not a place.`, {
      hint: 'Use FILE, FILE:LINE or FILE:FIRST-LAST.',
    });
  }
  const quote = quoteOf(patch, path, line, end_line);
  const isThere = line === null ? pathsIn(patch).has(path) : quote !== '';
  if (!isThere) {
    throw new BatonError('usage', `${place} is not part of the change.`, {
      hint: 'Use FILE, FILE:LINE or FILE:FIRST-LAST with lines that "baton diff" shows.',
    });
  }
  return { path, side: 'new', line, end_line, quote, text };
}

/** The files of a patch. */
function pathsIn(patch: string): Set<string> {
  const marked = patch.replaceAll(/^(?:---|\+\+\+) .*$/gm, '$&\n# x');
  return new Set(readComments(marked).map(({ path }) => path));
}

/** The lines of the new side, as far as they are in the patch. */
function quoteOf(patch: string, path: string, line: number | null, end: number | null): string {
  if (line === null) return '';
  // Every line of the patch becomes a comment on itself, which tells its place.
  const marked = patch
    .split('\n')
    .flatMap((each) => (/^[+ ]/.test(each) ? [each, '# x'] : [each]))
    .join('\n');
  return readComments(marked)
    .filter((each) => each.path === path && each.side === 'new' && each.line !== null)
    .filter((each) => line <= (each.line ?? 0) && (each.line ?? 0) <= (end ?? line))
    .map(({ quote }) => quote)
    .join('');
}

/** Sends the drafts of the session, if the person wants that. */
async function send(client: BatonClient, parsed: Parsed, session_id: string): Promise<number> {
  const isJson = isSet(parsed, 'json');
  const all = await client.reviewComments.find(session_id);
  const drafts = all.filter(({ task_id }) => task_id === null);
  const count = `${drafts.length} ${drafts.length === 1 ? 'comment' : 'comments'}`;
  const say = (words: string, task_id: string | null) => {
    const text = isJson ? JSON.stringify({ session_id, task_id, drafts: drafts.length }) : words;
    process.stdout.write(`${text}\n`);
  };
  if (drafts.length === 0) {
    say('No comments.', null);
    return EXIT.done;
  }
  const isAsked = !isSet(parsed, 'send') && !isSet(parsed, 'keep');
  const canAsk = process.stdin.isTTY && process.stdout.isTTY && !isJson;
  const answer =
    isAsked && canAsk
      ? await askYes(`Sends ${count} to the agent of ${shortId(session_id)}.`)
      : 'no';
  if (answer === 'interrupted') return EXIT.interrupted;
  if (!isSet(parsed, 'send') && answer === 'no') {
    say(
      `Kept ${count} as drafts. Send them with "baton review ${shortId(session_id)} --send".`,
      null,
    );
    return EXIT.done;
  }
  const comment_ids = drafts.map(({ comment_id }) => comment_id);
  const { task_id } = await client.reviewComments.send({
    ...{ session_id, comment_ids },
    task_id: randomId(),
  });
  say(`Sent ${count}. Follow the agent with "baton attach ${shortId(session_id)}".`, task_id);
  return EXIT.done;
}

async function list(client: BatonClient, session_id: string, isJson: boolean): Promise<number> {
  const all = await client.reviewComments.find(session_id);
  if (isJson) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  else if (all.length === 0) process.stdout.write('No comments.\n');
  else for (const comment of all) process.stdout.write(`${safe(commentText(comment))}\n`);
  return EXIT.done;
}

function commentText(comment: ReviewComment): string {
  const { task_id, resolved_at, text } = comment;
  const state = resolved_at !== null ? 'resolved' : task_id === null ? 'draft' : 'sent';
  return `${placeWords(comment)} (${state})\n${text.replaceAll(/^/gm, '  ')}`;
}
