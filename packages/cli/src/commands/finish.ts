import { writeFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import {
  BatonError,
  type Finished,
  type FinishRequest,
  MERGE_METHODS,
  type MergeMethod,
} from '@baton/protocol/values';
import type { WorkspaceHome } from '@baton/workspaces';
import { type Command, isSet, type Parsed, textOf, textsOf } from '../arguments/command.ts';
import { EXIT } from '../exit-codes.ts';
import { askYes } from '../terminal/ask-yes.ts';
import { stopOnSignals } from '../terminal/stop-on-signals.ts';
import { safe } from '../view/style.ts';
import { printLine } from './workspace-scripts.ts';

const USAGE = 'baton finish commit|merge|patch|discard [options] [NAME]';

export const finish: Command = {
  name: 'finish',
  summary: 'Commit or merge the work of an agent, save it as a patch, or discard it.',
  usage: USAGE,
  words: ['commit', 'merge', 'patch', 'discard'],
  options: {
    message: { type: 'string', short: 'm', value: 'TEXT', about: 'message of the commit' },
    file: {
      type: 'string',
      multiple: true,
      value: 'PATH',
      about: 'commit: only this file or folder',
      choices: 'files',
    },
    into: {
      type: 'string',
      value: 'BRANCH',
      about: 'merge: the branch that gets the work; the one that it started from by default',
    },
    method: {
      type: 'string',
      value: 'HOW',
      about: 'merge: squash (one commit, the default), merge or rebase',
      choices: MERGE_METHODS,
    },
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      about: 'patch: the file to write; standard output by default',
      choices: 'files',
    },
    yes: { type: 'boolean', short: 'y', about: 'do it without asking' },
    'dry-run': { type: 'boolean', about: 'only say what would happen' },
    json: { type: 'boolean', about: 'print JSON' },
  },
  notes: [
    'NAME is a name from "baton workspaces", or a folder; the present folder by default.',
    'Says in a sentence what will happen, and asks; without a terminal it needs --yes.',
    'Commits are made as you would make them, with your name, hooks and signature. A merge finds conflicts',
    'before it changes anything, and moves a branch in one step.',
  ],
  async run(parsed) {
    const [action = '', name, ...rest] = parsed.positionals;
    const act = ACTIONS[action];
    if (!act || rest.length > 0) {
      throw new BatonError('usage', act ? 'Pass one name.' : `Say how to finish: ${USAGE}`);
    }
    refuseForeignOptions(parsed, action);
    if (textOf(parsed, 'message')?.trim() === '') {
      throw new BatonError('usage', 'The message is empty.', {
        hint: 'Pass a text with -m, or omit it for a draft.',
      });
    }
    const { WorkspaceHome } = await import('@baton/workspaces');
    const home = new WorkspaceHome();
    return act(parsed, home, folderOf(home, name));
  },
};

const ACTIONS: Readonly<
  Record<string, (parsed: Parsed, home: WorkspaceHome, folder: string) => Promise<number>>
> = { commit, merge, patch, discard };

const OPTIONS_OF: Readonly<Record<string, readonly string[]>> = {
  commit: ['message', 'file', 'yes', 'dry-run', 'json'],
  merge: ['message', 'into', 'method', 'yes', 'dry-run', 'json'],
  patch: ['output'],
  discard: ['yes', 'dry-run', 'json'],
};

function refuseForeignOptions({ values }: Parsed, action: string): void {
  const allowed = OPTIONS_OF[action] ?? [];
  const foreign = Object.keys(values).find((name) => !allowed.includes(name));
  if (foreign === undefined) return;
  throw new BatonError('usage', `"finish ${action}" has no --${foreign}.`);
}

/** The folder of a worktree by its name, or a folder. */
function folderOf({ files }: WorkspaceHome, name: string | undefined): string {
  if (name === undefined || name === '.' || name.startsWith('./') || name.startsWith('../')) {
    return resolve(name ?? '.');
  }
  try {
    const { path, state, workspace_id: id } = files.find(name);
    if (state !== 'removed') return path;
    throw new BatonError('cwd_missing', `The worktree ${path} was removed.`, {
      hint: `Bring it back with "baton workspaces restore ${id}".`,
    });
  } catch (error) {
    const isFolder = name.startsWith('/') && BatonError.is(error) && error.code === 'not_found';
    if (isFolder) return name;
    throw error;
  }
}

async function commit(parsed: Parsed, home: WorkspaceHome, folder: string): Promise<number> {
  const files = textsOf(parsed, 'file');
  const paths = files.length > 0 ? await filesIn(home, folder, files) : undefined;
  return carryOut(parsed, home, folder, {
    request: { action: 'commit', message: textOf(parsed, 'message'), paths },
    words: ({ files: total, committed }) =>
      `Committed ${total} ${total === 1 ? 'file' : 'files'} as ${committed?.slice(0, 10)}.`,
  });
}

async function merge(parsed: Parsed, home: WorkspaceHome, folder: string): Promise<number> {
  const method = textOf(parsed, 'method') ?? 'squash';
  if (!isMethod(method)) {
    throw new BatonError('usage', `--method must be ${MERGE_METHODS.join(', ')}, not "${method}".`);
  }
  const [message, into] = [textOf(parsed, 'message'), textOf(parsed, 'into')];
  return carryOut(parsed, home, folder, {
    request: { action: 'merge', message, method, into },
    words: ({ merged }) =>
      `Merged into ${merged?.target}, which is at ${merged?.commit.slice(0, 10)} now.`,
  });
}

function isMethod(text: string): text is MergeMethod {
  return (MERGE_METHODS as readonly string[]).includes(text);
}

async function patch(parsed: Parsed, home: WorkspaceHome, folder: string): Promise<number> {
  const { finishPlace, patchOf } = await import('@baton/workspaces');
  const place = await finishPlace(home, folder);
  const base = place.record?.base_commit ?? place.head;
  const text = await patchOf(place.own, [`${base}^{tree}`, place.snapshot.tree], {
    isBinary: true,
  });
  const file = textOf(parsed, 'output') ?? '-';
  if (file === '-') process.stdout.write(text);
  else save(file, text);
  return EXIT.done;
}

function save(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    const { message } = cause as Error;
    throw new BatonError('usage', `Cannot write ${file}: ${message}`, {
      hint: 'Choose another file with --output.',
      cause,
    });
  }
  process.stderr.write(`Wrote ${file}. Apply it with "git apply ${file}".\n`);
}

async function discard(parsed: Parsed, home: WorkspaceHome, folder: string): Promise<number> {
  return carryOut(parsed, home, folder, {
    request: { action: 'discard' },
    words: ({ path }) =>
      `Discarded ${path}. Restore it with "baton workspaces restore ${basename(path)}".`,
  });
}

type Action = {
  request: FinishRequest;
  /** Says what was done. */
  words(done: Finished): string;
};

/** Shows the plan, asks, and does it. */
async function carryOut(
  parsed: Parsed,
  home: WorkspaceHome,
  folder: string,
  { request, words }: Action,
): Promise<number> {
  const { finish, planFinish } = await import('@baton/workspaces');
  const plan = await planFinish(home, folder, request);
  const isJson = isSet(parsed, 'json');
  const hasConflicts = !plan.is_possible && plan.merge !== null;
  if (!plan.is_possible && (isJson || !hasConflicts)) {
    process.stdout.write(isJson ? json({ ...plan, done: false }) : `${safe(plan.sentence)}\n`);
    return hasConflicts ? EXIT.failed : EXIT.done;
  }
  if (!hasConflicts && isSet(parsed, 'dry-run')) {
    process.stdout.write(isJson ? json({ ...plan, dry_run: true }) : `${plan.sentence}\n`);
    return EXIT.done;
  }
  if (!hasConflicts && !isSet(parsed, 'yes')) {
    if (isJson || !process.stdin.isTTY || !process.stdout.isTTY) {
      throw new BatonError('usage', `Not done without --yes: ${plan.sentence}`, {
        hint: 'Add --yes to do it, or --dry-run to only see what would happen.',
      });
    }
    const answer = await askYes(plan.sentence);
    if (answer === 'interrupted') return EXIT.interrupted;
    if (answer === 'no') {
      process.stdout.write('Nothing was changed.\n');
      return EXIT.failed;
    }
  }
  const stop = stopOnSignals();
  try {
    const { signal } = stop;
    const options = { state: plan.state, onLine: printLine, signal };
    const done = await finish(home, folder, request, options);
    process.stdout.write(isJson ? json({ ...done, done: true }) : `${words(done)}\n`);
    return EXIT.done;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write('Stopped. The same command with --dry-run says what is left to do.\n');
    return EXIT.interrupted;
  } finally {
    stop.end();
  }
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The paths of files relative to the root of the files in a folder. */
async function filesIn(
  { git }: WorkspaceHome,
  folder: string,
  files: readonly string[],
): Promise<string[]> {
  const { UserRepository } = await import('@baton/workspaces');
  const { root } = UserRepository.find(git, folder).place;
  return files.map((file) => {
    const path = resolve(folder, file);
    if (isInside(root, path)) return relative(root, path);
    throw new BatonError('usage', `${file} is not inside of ${root}.`);
  });
}
