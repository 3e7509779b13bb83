import { relative, resolve } from 'node:path';
import { BatonError, type CheckpointRecord, type FileDifference } from '@baton/protocol/values';
import { type Command, isSet, type Parsed, textOf, textsOf } from '../arguments/command.ts';
import { findOne } from '../remote/find-one.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { ago } from '../view/format.ts';
import { statText } from '../view/patch-text.ts';
import { tableText } from '../view/table.ts';

export const undo: Command = {
  name: 'undo',
  summary: 'Bring the files back to how they were before a turn of an agent.',
  usage: 'baton undo [options] [CHECKPOINT]',
  options: {
    list: { type: 'boolean', about: 'list the checkpoints' },
    file: {
      type: 'string',
      short: 'f',
      multiple: true,
      value: 'PATH',
      about: 'only this file or folder',
      choices: 'files',
    },
    session: {
      type: 'string',
      value: 'ID',
      about: 'a session of the daemon instead of this folder',
    },
    cwd: { type: 'string', short: 'C', value: 'DIR', about: 'folder', choices: 'files' },
    'dry-run': { type: 'boolean', about: 'show what would change' },
    json: { type: 'boolean', about: 'print JSON' },
    ...DAEMON_OPTIONS,
  },
  notes: [
    'Without CHECKPOINT, takes back what the last turn in this folder changed; with one, brings all',
    'files back to it. The present files become a checkpoint first, so that an undo can be undone.',
    "Git's index, HEAD, branches and stash stay as they are; checkpoints have no ignored files.",
  ],
  async run(parsed) {
    const [text, ...rest] = parsed.positionals;
    if (rest.length > 0) throw new BatonError('usage', 'Pass one checkpoint.');
    const checkpoint = numberOf(text);
    const session = textOf(parsed, 'session');
    if (session !== undefined) return inSession(parsed, session, checkpoint);
    return inFolder(parsed, checkpoint);
  },
};

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new BatonError('usage', `"${text}" is not the number of a checkpoint.`, {
    hint: 'See "baton undo --list".',
  });
}

async function inFolder(parsed: Parsed, number: number | undefined): Promise<number> {
  const workspaces = await import('@baton/workspaces');
  const folder = resolve(textOf(parsed, 'cwd') ?? '.');
  const repository = await new workspaces.WorkspaceHome().open(folder);
  const all = await workspaces.listCheckpoints(repository);
  if (isSet(parsed, 'list')) return list(parsed, all.map(workspaces.checkpointRecord));
  const target = number === undefined ? undefined : all.find((each) => each.number === number);
  const last = all.findLast(({ kind }) => kind === 'start' || kind === 'before');
  if (number === undefined ? !last?.sessionId : !target) throw noCheckpoint(folder, number);
  const files = textsOf(parsed, 'file').map((file) => {
    const path = relative(repository.root, resolve(folder, file));
    if (path !== '' && !path.startsWith('..')) return path;
    throw new BatonError('usage', `${file} is not inside of ${repository.root}.`);
  });
  const paths = files.length > 0 ? files : undefined;
  const turn = { sessionId: last?.sessionId ?? '', taskId: last?.taskId, paths };
  if (isSet(parsed, 'dry-run')) {
    const changes = target
      ? await workspaces.previewRestore(repository, { tree: target.tree, paths })
      : await workspaces.previewUndo(repository, turn);
    return show(parsed, { ...changes, before: undefined }, 'Would change');
  }
  const { before, changes } = target
    ? await workspaces.restore(repository, { tree: target.tree, paths })
    : await workspaces.undoTurn(repository, turn);
  return show(parsed, { ...changes, before: workspaces.checkpointRecord(before) }, 'Restored');
}

function inSession(parsed: Parsed, text: string, checkpoint: number | undefined): Promise<number> {
  return withDaemon(undo, parsed, async (client) => {
    const { id: session_id } = await findOne(client, text, ['session']);
    if (isSet(parsed, 'list')) return list(parsed, await client.checkpoints.find(session_id));
    if (isSet(parsed, 'dry-run')) {
      throw new BatonError('usage', '--dry-run works in a folder: use -C instead of --session.');
    }
    const files = textsOf(parsed, 'file');
    const paths = files.length > 0 ? files : undefined;
    const done = await client.checkpoints.undo({ session_id, checkpoint, paths });
    const sum = (key: 'additions' | 'deletions') =>
      done.files.reduce((all, file) => all + (file[key] ?? 0), 0);
    return show(
      parsed,
      { ...done, additions: sum('additions'), deletions: sum('deletions') },
      'Restored',
    );
  });
}

function noCheckpoint(folder: string, number: number | undefined): BatonError {
  if (number !== undefined) {
    return new BatonError('not_found', `${folder} has no checkpoint ${number}.`, {
      hint: 'See "baton undo --list".',
    });
  }
  return new BatonError('not_found', `No turn to undo in ${folder}.`, {
    hint: 'Files are kept from the first "baton run" in a folder on.',
  });
}

function list(parsed: Parsed, checkpoints: readonly CheckpointRecord[]): number {
  if (isSet(parsed, 'json')) {
    process.stdout.write(`${JSON.stringify(checkpoints, null, 2)}\n`);
    return 0;
  }
  if (checkpoints.length === 0) {
    process.stdout.write('No checkpoints.\n');
    return 0;
  }
  const rows = checkpoints.map(({ number, kind, created_at, session_id, branch }) => [
    { text: `${number}`, format: 'bold' as const },
    KINDS[kind],
    ago(created_at),
    session_id?.slice(0, 8) ?? '',
    branch ?? '',
  ]);
  const heads = ['CHECKPOINT', 'KEPT', 'AGE', 'SESSION', 'BRANCH'];
  process.stdout.write(tableText(process.stdout, heads, rows));
  return 0;
}

const KINDS = {
  start: 'before the first turn',
  before: 'before a turn',
  after: 'after a turn',
  undo: 'before an undo',
  remove: 'before the removal',
} as const;

type Undone = {
  files: readonly FileDifference[];
  total: number;
  additions: number;
  deletions: number;
  before: CheckpointRecord | undefined;
};

function show(parsed: Parsed, undone: Undone, verb: string): number {
  const { before, ...changes } = undone;
  if (isSet(parsed, 'json')) {
    process.stdout.write(`${JSON.stringify({ ...changes, before }, null, 2)}\n`);
    return 0;
  }
  if (changes.total === 0) {
    process.stdout.write('The files are already like that.\n');
    return 0;
  }
  const again = before ? `Take it back with "baton undo ${before.number}".\n` : '';
  process.stdout.write(`${verb}:\n${statText(process.stdout, changes)}${again}`);
  return 0;
}
