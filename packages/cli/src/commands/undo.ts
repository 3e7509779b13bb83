import { relative, resolve } from 'node:path';
import type { BatonClient, UndoRequest } from '@baton/client';
import { BatonError, type CheckpointRecord, type FileDifference } from '@baton/protocol/values';
import { type Command, isSet, type Parsed, textOf, textsOf } from '../arguments/command.ts';
import { findOne, shortId } from '../remote/find-one.ts';
import { DAEMON_OPTIONS, withDaemon } from '../remote/with-daemon.ts';
import { ago } from '../view/format.ts';
import { statText } from '../view/patch-text.ts';
import { oneLine, safe } from '../view/style.ts';
import { tableText } from '../view/table.ts';

export const undo: Command = {
  name: 'undo',
  summary: 'Bring the files back to how they were before a turn of an agent.',
  usage: 'baton undo [options] [TURN|SESSION|CHECKPOINT]',
  options: {
    list: { type: 'boolean', about: 'list the turns and their checkpoints' },
    turn: { type: 'string', value: 'ID', about: 'the turn to undo, with those after it' },
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
    'Takes back what the last turn in this folder changed, or a turn and those after it. A number is a',
    'checkpoint: it brings all files back. A turn or session of another folder is undone by the daemon.',
    'The present files become a checkpoint first, so that an undo can be undone.',
    "Git's index, HEAD, branches and stash stay as they are; checkpoints have no ignored files.",
  ],
  async run(parsed) {
    const [text, ...rest] = parsed.positionals;
    if (rest.length > 0) throw new BatonError('usage', 'Pass one turn, session or checkpoint.');
    const turn = textOf(parsed, 'turn');
    if (text !== undefined && turn !== undefined) {
      throw new BatonError('usage', '--turn cannot be combined with another argument.');
    }
    const id = turn ?? (text !== undefined && isId(text) ? text : undefined);
    const checkpoint = id === undefined ? numberOf(text) : undefined;
    const session = textOf(parsed, 'session');
    if (session !== undefined) return inSession(parsed, { session, turn: id, checkpoint });
    if (id === undefined) return inFolder(parsed, { checkpoint });
    const found = await turnInFolder(parsed, id);
    return found ? inFolder(parsed, { turn: found }) : byDaemon(parsed, id, turn !== undefined);
  },
};

/** Numbers of checkpoints are shorter than the ids that lists show. */
const ID_LENGTH = 8;

function isId(text: string): boolean {
  return text.length >= ID_LENGTH && /^[0-9a-f-]+$/.test(text);
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new BatonError(
    'usage',
    `"${text}" is neither the number of a checkpoint nor at least ${ID_LENGTH} characters of an id.`,
    { hint: 'See "baton undo --list".' },
  );
}

type LocalTurn = { sessionId: string; taskId: string };

/** The turn in the folder that an id names; undefined if there is none. */
async function turnInFolder(parsed: Parsed, id: string): Promise<LocalTurn | undefined> {
  const { listCheckpoints, WorkspaceHome } = await import('@baton/workspaces');
  const repository = await new WorkspaceHome().open(folderOf(parsed));
  const turns = (await listCheckpoints(repository)).filter(({ taskId }) => taskId?.startsWith(id));
  if (new Set(turns.map(({ taskId }) => taskId)).size > 1) {
    throw new BatonError('usage', `"${id}" matches several turns.`, {
      hint: 'Use a longer prefix.',
    });
  }
  const { sessionId, taskId } = turns[0] ?? {};
  return sessionId !== undefined && taskId !== undefined ? { sessionId, taskId } : undefined;
}

function folderOf(parsed: Parsed): string {
  return resolve(textOf(parsed, 'cwd') ?? '.');
}

async function inFolder(
  parsed: Parsed,
  { checkpoint: number, turn: chosen }: { checkpoint?: number | undefined; turn?: LocalTurn },
): Promise<number> {
  const workspaces = await import('@baton/workspaces');
  const folder = folderOf(parsed);
  const home = new workspaces.WorkspaceHome();
  const repository = await home.open(folder);
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
  const turn = { sessionId: last?.sessionId ?? '', taskId: last?.taskId, ...chosen, paths };
  if (isSet(parsed, 'dry-run')) {
    const changes = target
      ? await workspaces.previewRestore(repository, { tree: target.tree, paths })
      : await workspaces.previewUndo(repository, turn);
    return show(parsed, { ...changes, before: undefined }, 'Would change');
  }
  if (new workspaces.FolderSessions(home).in(folder).length > 0) {
    throw new BatonError('conflict', `An agent is still working in ${repository.root}.`, {
      hint: 'Stop it first, and try again.',
    });
  }
  const done = target
    ? { ...(await workspaces.restore(repository, { tree: target.tree, paths })), kept: [] }
    : await workspaces.undoTurn(repository, turn);
  const before = workspaces.checkpointRecord(done.before);
  const { changes, kept, submodules } = done;
  return show(parsed, { ...changes, kept, submodules, before }, 'Restored');
}

type InSession = {
  session: string;
  turn?: string | undefined;
  checkpoint?: number | undefined;
};

function inSession(parsed: Parsed, { session, turn, checkpoint }: InSession): Promise<number> {
  return withDaemon(undo, parsed, async (client) => {
    const { id: session_id } = await findOne(client, session, ['session']);
    const task_id = turn === undefined ? undefined : (await findOne(client, turn, ['task'])).id;
    return undoRemotely(parsed, client, { session_id, task_id, checkpoint });
  });
}

/** Undoes a turn, or the last one of a session, that the daemon finds by its id. */
function byDaemon(parsed: Parsed, id: string, isTurn: boolean): Promise<number> {
  return withDaemon(undo, parsed, async (client) => {
    const found = await findOne(client, id, isTurn ? ['task'] : ['session', 'task']);
    const { session_id } = found;
    const task_id = found.kind === 'task' ? found.id : undefined;
    return undoRemotely(parsed, client, { session_id, task_id });
  });
}

async function undoRemotely(
  parsed: Parsed,
  client: BatonClient,
  request: UndoRequest,
): Promise<number> {
  const { session_id } = request;
  if (isSet(parsed, 'list')) return list(parsed, await client.checkpoints.find(session_id));
  if (isSet(parsed, 'dry-run')) {
    throw new BatonError('usage', '--dry-run works in a folder: use -C instead of --session.');
  }
  const files = textsOf(parsed, 'file');
  const paths = files.length > 0 ? files : undefined;
  const done = await client.checkpoints.undo({ ...request, paths });
  const sum = (key: 'additions' | 'deletions') =>
    done.files.reduce((all, file) => all + (file[key] ?? 0), 0);
  const counts = { additions: sum('additions'), deletions: sum('deletions') };
  const again = `baton undo --session ${shortId(session_id)} ${done.before.number}`;
  return show(parsed, { ...done, ...counts }, 'Restored', again);
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

/** Width of prompts in a list. */
const PROMPT_WIDTH = 50;

function list(parsed: Parsed, checkpoints: readonly CheckpointRecord[]): number {
  if (isSet(parsed, 'json')) {
    process.stdout.write(`${JSON.stringify(checkpoints, null, 2)}\n`);
    return 0;
  }
  if (checkpoints.length === 0) {
    process.stdout.write('No checkpoints.\n');
    return 0;
  }
  const rows = checkpoints.map(({ number, kind, created_at, session_id, task_id, prompt }) => [
    { text: `${number}`, format: 'bold' as const },
    KINDS[kind],
    ago(created_at),
    task_id?.slice(0, ID_LENGTH) ?? '',
    session_id?.slice(0, ID_LENGTH) ?? '',
    // The end of a turn has the same prompt as its start.
    kind === 'after' ? '' : oneLine(prompt ?? '', PROMPT_WIDTH),
  ]);
  const heads = ['CHECKPOINT', 'KEPT', 'AGE', 'TURN', 'SESSION', 'PROMPT'];
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
  /** Files that somebody has changed after the turn. */
  kept?: readonly string[] | undefined;
  /** Submodules that had another commit then. */
  submodules?: readonly string[] | undefined;
};

/** Number of kept files that are named. */
const MOST_KEPT = 5;

function show(parsed: Parsed, undone: Undone, verb: string, command?: string): number {
  const { before, kept = [], submodules = [], ...changes } = undone;
  if (isSet(parsed, 'json')) {
    process.stdout.write(`${JSON.stringify({ ...changes, kept, submodules, before }, null, 2)}\n`);
    return 0;
  }
  if (kept.length > 0) {
    const more = kept.length > MOST_KEPT ? ` and ${kept.length - MOST_KEPT} more` : '';
    const names = kept.slice(0, MOST_KEPT).map(safe).join(', ');
    process.stdout.write(
      `Kept, because somebody changed it after the turn: ${names}${more}. To undo it too, use --file.\n`,
    );
  }
  if (submodules.length > 0) {
    const names = submodules.map(safe).join(', ');
    process.stdout.write(`Submodules keep their present commit: ${names}.\n`);
  }
  if (changes.total === 0) {
    if (kept.length + submodules.length === 0)
      process.stdout.write('The files are already like that.\n');
    return 0;
  }
  const words = command ?? `baton undo ${before?.number}`;
  const again = before ? `Take it back with "${words}".\n` : '';
  process.stdout.write(`${verb}:\n${statText(process.stdout, changes)}${again}`);
  return 0;
}
