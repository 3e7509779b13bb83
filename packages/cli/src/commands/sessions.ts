import type { Page } from '@baton/client';
import { BatonError, type SessionRecord } from '@baton/protocol/values';
import { type Command, isSet, type Parsed, textOf } from '../arguments/command.ts';
import { findOne, onlyArgument, shortId } from '../remote/find-one.ts';
import { LIST_OPTIONS, limitOf, moreLine } from '../remote/list-options.ts';
import { START_FILES_NOTES, START_FILES_OPTION, startFiles } from '../remote/start-files.ts';
import { withDaemon } from '../remote/with-daemon.ts';
import { ago } from '../view/format.ts';
import { tableText } from '../view/table.ts';

const USAGE = 'baton sessions [--archived] [--json] | archive ID | unarchive ID | fork ID';

export const sessions: Command = {
  name: 'sessions',
  summary: 'List sessions, most recently active first; archive or fork them.',
  usage: USAGE,
  words: ['archive', 'unarchive', 'fork'],
  options: {
    archived: { type: 'boolean', about: 'list archived sessions' },
    before: { type: 'string', value: 'TASK', about: 'fork: end before the prompt of this task' },
    files: START_FILES_OPTION,
    ...LIST_OPTIONS,
  },
  notes: [
    'Ids can be abbreviated to a unique prefix, in all commands.',
    ...START_FILES_NOTES,
    'A fork of a session in a worktree gets a worktree of its own, unless --files=present.',
  ],
  async run(parsed) {
    const [word, ...rest] = parsed.positionals;
    if (word === undefined) return list(parsed);
    if (word === 'archive' || word === 'unarchive') return archive(parsed, word, rest);
    if (word === 'fork') return fork(parsed, rest);
    throw new BatonError('usage', `Unknown subcommand "sessions ${word}".`, {
      hint: `Use: ${USAGE}`,
    });
  },
};

function list(parsed: Parsed): Promise<number> {
  const query = { archived: isSet(parsed, 'archived'), limit: limitOf(parsed) };
  return withDaemon(sessions, parsed, async (client) => {
    const page = await client.sessions.find(query);
    process.stdout.write(
      isSet(parsed, 'json')
        ? `${JSON.stringify(page.data, null, 2)}\n`
        : listText(page, query.archived),
    );
    return 0;
  });
}

function archive(
  parsed: Parsed,
  word: 'archive' | 'unarchive',
  rest: readonly string[],
): Promise<number> {
  const text = onlyArgument(rest, 'session', `baton sessions ${word} ID`);
  return withDaemon(sessions, parsed, async (client) => {
    const { id } = await findOne(client, text, ['session']);
    const archived = word === 'archive';
    const session = await client.sessions.patch(id, { archived });
    const words = archived ? 'archived' : 'unarchived';
    process.stdout.write(
      isSet(parsed, 'json')
        ? `${JSON.stringify(session, null, 2)}\n`
        : `Session ${shortId(id)} ${words}.\n`,
    );
    return 0;
  });
}

function fork(parsed: Parsed, rest: readonly string[]): Promise<number> {
  const text = onlyArgument(rest, 'session', 'baton sessions fork ID [--before TASK]');
  const files = startFiles(parsed);
  return withDaemon(sessions, parsed, async (client) => {
    const { id } = await findOne(client, text, ['session']);
    const before = textOf(parsed, 'before');
    const before_task =
      before === undefined ? undefined : (await findOne(client, before, ['task'])).id;
    const session = await client.sessions.fork(id, { before_task, files });
    const short = shortId(session.session_id);
    process.stdout.write(
      isSet(parsed, 'json')
        ? `${JSON.stringify(session, null, 2)}\n`
        : `Forked into session ${short} in ${session.cwd}.\nContinue with "baton run --daemon auto --session ${short} …".\n`,
    );
    return 0;
  });
}

function listText(page: Page<SessionRecord>, archived: boolean): string {
  if (page.data.length === 0) {
    return archived ? 'No archived sessions.\n' : 'No sessions.\n';
  }
  const rows = page.data.map(({ session_id, updated_at, backend, title, cwd }) => [
    { text: shortId(session_id), format: 'bold' as const },
    ago(updated_at),
    backend,
    cwd,
    title,
  ]);
  const heads = ['SESSION', 'NEWS', 'AGENT', 'FOLDER', 'TITLE'];
  return tableText(process.stdout, heads, rows) + moreLine(page);
}
