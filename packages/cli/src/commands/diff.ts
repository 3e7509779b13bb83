import { resolve } from 'node:path';
import { BatonError, type CheckpointRecord, type FileDifference } from '@baton/protocol/values';
import { type Command, isSet, type Parsed, textOf } from '../arguments/command.ts';
import { findOne } from '../remote/find-one.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { showInPager } from '../terminal/pager.ts';
import { patchText, statText } from '../view/patch-text.ts';
import { safe } from '../view/style.ts';

export const diff: Command = {
  name: 'diff',
  summary: 'Show what changed in the files of a session.',
  usage: 'baton diff [options] [WORKSPACE | SESSION]',
  options: {
    turn: {
      type: 'string',
      isValueOptional: true,
      value: 'TASK',
      about: 'only one turn; the latest without a value',
    },
    base: { type: 'boolean', about: 'everything since the base of the branch' },
    stat: { type: 'boolean', about: 'list the files and their line counts' },
    'ignore-space': { type: 'boolean', short: 'w', about: 'ignore changes of white space' },
    cwd: {
      type: 'string',
      short: 'C',
      value: 'DIR',
      about: 'folder whose last session is shown',
      choices: 'files',
    },
    json: { type: 'boolean', about: 'print the changed files as JSON' },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'Compares the files themselves, so that changes of commands and of other people are included.',
    'Without a name, shows the last session in this folder that ran on this machine. WORKSPACE is a',
    'name from "baton workspaces"; SESSION is asked of the daemon.',
    'Long output is shown in $PAGER.',
  ],
  async run(parsed) {
    const [name, ...rest] = parsed.positionals;
    if (rest.length > 0) throw new BatonError('usage', 'Pass one workspace or session.');
    const folder = name === undefined ? (textOf(parsed, 'cwd') ?? '.') : await worktreeOf(name);
    const changes =
      folder === undefined ? await ofSession(parsed, name ?? '') : await ofFolder(parsed, folder);
    return show(parsed, changes);
  },
};

/** The folder of a worktree on this machine; undefined if none has the name. */
async function worktreeOf(name: string): Promise<string | undefined> {
  const { WorkspaceHome } = await import('@baton/workspaces');
  try {
    const { state, path } = new WorkspaceHome().files.find(name);
    if (state !== 'removed') return path;
    throw new BatonError('cwd_missing', `The worktree ${path} was removed.`, {
      hint: `Bring it back with "baton workspaces restore ${name}".`,
    });
  } catch (error) {
    if (BatonError.is(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}

type Gap = Omit<CheckpointRecord['gaps'][number], 'paths'> & { paths: readonly string[] };

type Changes = {
  from: string;
  to: string;
  files: readonly FileDifference[];
  total: number;
  additions: number;
  deletions: number;
  /** Parts of the folder that were not compared. */
  gaps: readonly Gap[];
  /** The whole difference as a patch; read only if it is shown. */
  patch(): Promise<string>;
};

/** The changes of the last session in a folder, read from the disk: no daemon is needed. */
async function ofFolder(parsed: Parsed, given: string): Promise<Changes> {
  const { lastSessionIn, patchOf, sessionChanges, WorkspaceHome } = await import(
    '@baton/workspaces'
  );
  const folder = resolve(given);
  const repository = await new WorkspaceHome().open(folder);
  const sessionId = await lastSessionIn(repository);
  if (sessionId === undefined) {
    throw new BatonError('not_found', `No agent has worked in ${folder} yet.`, {
      hint: 'Changes are kept from the first "baton run" in a folder on.',
    });
  }
  const ignoreSpace = isSet(parsed, 'ignore-space');
  const comparison = { compare: compareOf(parsed), sessionId, taskId: turnOf(parsed) };
  const found = await sessionChanges(repository, comparison, { ignoreSpace });
  return {
    ...found,
    patch: () => patchOf(repository, [found.from, found.to], { ignoreSpace }),
  };
}

/** The changes of a session of a daemon. */
function ofSession(parsed: Parsed, text: string): Promise<Changes> {
  return withDaemon(diff, parsed, async (client) => {
    const { id: session_id } = await findOne(client, text, ['session']);
    const given = turnOf(parsed);
    const task = given === undefined ? undefined : await findOne(client, given, ['task']);
    const ignore_space = isSet(parsed, 'ignore-space');
    const found = await client.changes.find({
      session_id,
      compare: compareOf(parsed),
      task_id: task?.id,
      ignore_space,
    });
    const { from, to } = found;
    const needsPatch = !isSet(parsed, 'stat') && !isSet(parsed, 'json');
    const { patch, cut } = needsPatch
      ? await client.changes.diff({ session_id, from, to, ignore_space })
      : { patch: '', cut: false };
    if (cut) throw new BatonError('too_large', 'The difference is too large to show: use --stat.');
    return { ...found, patch: async () => patch };
  });
}

function compareOf(parsed: Parsed): 'turn' | 'session' | 'base' {
  if (textOf(parsed, 'turn') !== undefined) return 'turn';
  return isSet(parsed, 'base') ? 'base' : 'session';
}

function turnOf(parsed: Parsed): string | undefined {
  return textOf(parsed, 'turn') || undefined;
}

async function show(parsed: Parsed, { patch, ...changes }: Changes): Promise<number> {
  if (isSet(parsed, 'json')) {
    process.stdout.write(`${JSON.stringify(changes, null, 2)}\n`);
    return 0;
  }
  for (const gap of changes.gaps) process.stderr.write(`warning: ${gapWords(gap)}\n`);
  if (changes.total === 0) {
    process.stdout.write('No changes.\n');
    return 0;
  }
  const text = isSet(parsed, 'stat')
    ? statText(process.stdout, changes)
    : patchText(process.stdout, await patch());
  await showInPager(text);
  return 0;
}

const GAP_WORDS = {
  too_large: 'Too large to compare',
  too_many: 'Too many new files to compare',
  nested: 'Nested repositories, which are not looked into',
  unreadable: 'Not readable',
} as const;
/** Number of paths that are named. */
const MOST_NAMED = 5;

function gapWords({ kind, paths, count }: Gap): string {
  const more = count > MOST_NAMED ? ` and ${count - MOST_NAMED} more` : '';
  return `${GAP_WORDS[kind]}: ${paths.slice(0, MOST_NAMED).map(safe).join(', ')}${more}`;
}
