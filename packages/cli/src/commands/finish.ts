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
import type { TrainEntry, WorkspaceHome } from '@baton/workspaces';
import { type Command, isSet, type Parsed, textOf, textsOf } from '../arguments/command.ts';
import { EXIT } from '../exit-codes.ts';
import { askYes } from '../terminal/ask-yes.ts';
import { stopOnSignals } from '../terminal/stop-on-signals.ts';
import { safe } from '../view/style.ts';
import { printLine } from './workspace-scripts.ts';

const USAGE = 'baton finish commit|merge|resolve|train|push|pr|patch|discard [options] [NAME...]';

export const finish: Command = {
  name: 'finish',
  summary: 'Commit, merge or push the work of agents, make a pull request or patch, or discard it.',
  usage: USAGE,
  words: ['commit', 'merge', 'resolve', 'train', 'push', 'pr', 'patch', 'discard'],
  options: {
    message: {
      type: 'string',
      short: 'm',
      value: 'TEXT',
      about: 'message of the commit; pr: the text',
    },
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
      about:
        'merge, resolve, train, pr: the branch that gets the work; the one that it started from by default',
    },
    method: {
      type: 'string',
      value: 'HOW',
      about: 'merge, train: squash (one commit, the default), merge or rebase',
      choices: MERGE_METHODS,
    },
    title: { type: 'string', short: 't', value: 'TEXT', about: 'pr: the title' },
    draft: { type: 'boolean', about: 'pr: make a draft' },
    label: { type: 'string', multiple: true, value: 'NAME', about: 'pr: a label' },
    reviewer: { type: 'string', multiple: true, value: 'NAME', about: 'pr: a reviewer' },
    remote: {
      type: 'string',
      value: 'NAME',
      about: 'push, pr: the remote; the one of the branch, origin or the only one by default',
    },
    check: {
      type: 'string',
      value: 'COMMAND',
      about: 'train: a command for the shell that must succeed on each merged result',
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
    const [action = '', ...names] = parsed.positionals;
    const act = ACTIONS[action];
    if (!act || (names.length > 1 && action !== 'train')) {
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
    const folders = names.length > 0 ? names.map((name) => folderOf(home, name)) : [resolve('.')];
    return act(parsed, home, folders);
  },
};

const ACTIONS: Readonly<
  Record<
    string,
    (parsed: Parsed, home: WorkspaceHome, folders: readonly string[]) => Promise<number>
  >
> = {
  commit: (parsed, home, [folder = '.']) => commit(parsed, home, folder),
  merge: (parsed, home, [folder = '.']) => merge(parsed, home, folder),
  resolve: (parsed, home, [folder = '.']) => resolveConflicts(parsed, home, folder),
  train,
  push: (parsed, home, [folder = '.']) => push(parsed, home, folder),
  pr: (parsed, home, [folder = '.']) => pullRequest(parsed, home, folder),
  patch: (parsed, home, [folder = '.']) => patch(parsed, home, folder),
  discard: (parsed, home, [folder = '.']) => discard(parsed, home, folder),
};

const OPTIONS_OF: Readonly<Record<string, readonly string[]>> = {
  commit: ['message', 'file', 'yes', 'dry-run', 'json'],
  merge: ['message', 'into', 'method', 'yes', 'dry-run', 'json'],
  resolve: ['into', 'yes', 'dry-run', 'json'],
  train: ['into', 'method', 'check', 'yes', 'dry-run', 'json'],
  push: ['message', 'remote', 'yes', 'dry-run', 'json'],
  pr: [
    ...['title', 'message', 'into', 'remote', 'draft', 'label', 'reviewer'],
    ...['yes', 'dry-run', 'json'],
  ],
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
function folderOf({ files }: WorkspaceHome, name: string): string {
  if (name === '.' || name.startsWith('./') || name.startsWith('../')) {
    return resolve(name);
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
  const method = methodOf(parsed);
  const [message, into] = [textOf(parsed, 'message'), textOf(parsed, 'into')];
  return carryOut(parsed, home, folder, {
    request: { action: 'merge', message, method, into },
    words: ({ merged }) =>
      `Merged into ${merged?.target}, which is at ${merged?.commit.slice(0, 10)} now.`,
  });
}

function push(parsed: Parsed, home: WorkspaceHome, folder: string): Promise<number> {
  const [message, remote] = [textOf(parsed, 'message'), textOf(parsed, 'remote')];
  return carryOut(parsed, home, folder, {
    request: { action: 'push', message, remote },
    words: pushedWords,
  });
}

async function pullRequest(parsed: Parsed, home: WorkspaceHome, folder: string): Promise<number> {
  const [title, body] = [textOf(parsed, 'title'), textOf(parsed, 'message')];
  if (title !== undefined && (title.trim() === '' || title.includes('\n'))) {
    throw new BatonError('usage', 'The title must be one line.');
  }
  const [into, remote] = [textOf(parsed, 'into'), textOf(parsed, 'remote')];
  const [labels, reviewers] = [textsOf(parsed, 'label'), textsOf(parsed, 'reviewer')];
  return carryOut(parsed, home, folder, {
    request: {
      ...{ action: 'pr', title, body, into, remote },
      ...(isSet(parsed, 'draft') ? { draft: true } : {}),
      ...(labels.length > 0 ? { labels } : {}),
      ...(reviewers.length > 0 ? { reviewers } : {}),
    },
    words: pullRequestWords,
  });
}

function pushedWords({ pushed }: Finished): string {
  return `Pushed ${pushed?.branch} to ${pushed?.remote}.`;
}

function pullRequestWords(done: Finished): string {
  const { pull_request: made, pr } = done;
  const first = pushedWords(done);
  if (made) {
    const what = `${pr?.word} #${made.number}`;
    if (made.problem) process.stderr.write(`warning: ${safe(made.problem)}\n`);
    return `${first} ${made.is_new ? `Made ${what}` : `Its open ${what} has the work`}: ${made.url}`;
  }
  if (!pr?.open_url)
    return `${first} No pull request was made: its server is not known to have any.`;
  return `${first} Make the ${pr.word} here: ${pr.open_url}`;
}

function methodOf(parsed: Parsed): MergeMethod {
  const method = textOf(parsed, 'method') ?? 'squash';
  if (isMethod(method)) return method;
  throw new BatonError('usage', `--method must be ${MERGE_METHODS.join(', ')}, not "${method}".`);
}

function isMethod(text: string): text is MergeMethod {
  return (MERGE_METHODS as readonly string[]).includes(text);
}

async function resolveConflicts(
  parsed: Parsed,
  home: WorkspaceHome,
  folder: string,
): Promise<number> {
  return carryOut(parsed, home, folder, {
    request: { action: 'resolve', into: textOf(parsed, 'into') },
    words: ({ resolving, path }) =>
      `Started the merge of ${resolving?.target} in ${path}. Resolve the conflicts in ${resolving?.conflicts.join(', ')} there, or let the agent do it, and run "baton finish merge ${basename(path)}".`,
  });
}

async function train(
  parsed: Parsed,
  home: WorkspaceHome,
  paths: readonly string[],
): Promise<number> {
  if (parsed.positionals.length < 2 || new Set(paths).size < paths.length) {
    throw new BatonError('usage', 'Name the worktrees to merge, each once.', {
      hint: 'Run "baton workspaces" to list them.',
    });
  }
  const { runTrain } = await import('@baton/workspaces');
  const method = methodOf(parsed);
  const check = textOf(parsed, 'check');
  const target = textOf(parsed, 'into') ?? commonBase(home, paths);
  const names = paths.map((path) => basename(path));
  const many = `${paths.length} ${paths.length === 1 ? 'branch' : 'branches'}`;
  const sentence = [
    `Merges ${many} into ${target} one after another (${method}): ${names.join(', ')}.`,
    'Uncommitted work is committed first. A branch with conflicts is left out.',
    ...(check
      ? [`Runs "${check}" on each merged result, and leaves out those where it fails.`]
      : []),
  ].join(' ');
  const isJson = isSet(parsed, 'json');
  const plan = { sentence, target, method, check: check ?? null, paths };
  const decided = await decide(parsed, plan);
  if (decided !== undefined) return decided;
  const stop = stopOnSignals();
  try {
    const entries = await runTrain(
      home,
      { paths, target, method, check },
      {
        signal: stop.signal,
        onLine: printLine,
        onEntry: (entry) => process.stderr.write(`${safe(entryLine(entry))}\n`),
      },
    );
    const isDone = entries.every(({ state }) => state === 'merged');
    const lines = entries.map((entry) => `${safe(entryLine(entry))}\n`).join('');
    process.stdout.write(isJson ? json({ ...plan, entries, done: isDone }) : lines);
    if (stop.signal.aborted) return EXIT.interrupted;
    return isDone ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write('Stopped. The same command continues: nothing is merged twice.\n');
    return EXIT.interrupted;
  } finally {
    stop.end();
  }
}

/** The branch that all worktrees started from. */
function commonBase({ files }: WorkspaceHome, paths: readonly string[]): string {
  const records = files.list();
  const bases = new Set(paths.map((path) => records.find((each) => each.path === path)?.base_ref));
  const [base, ...others] = bases;
  if (base && others.length === 0) return base;
  throw new BatonError('usage', 'The worktrees did not start from the same branch.', {
    hint: 'Choose the branch that gets their work with --into.',
  });
}

function entryLine({ path, state, commit, conflicts = [], error }: TrainEntry): string {
  const words = {
    waiting: 'not started',
    merging: 'merging',
    checking: 'checking the merged result',
    merged: `merged as ${commit?.slice(0, 10)}`,
    conflict: `not merged: conflicts in ${conflicts.join(', ')}`,
    red: `not merged: ${error?.message}`,
    failed: `not merged: ${error?.message}`,
  }[state];
  return `${basename(path)}: ${words}`;
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
  const hasConflicts = !plan.is_possible && request.action === 'merge';
  if (!plan.is_possible && (isJson || !hasConflicts)) {
    process.stdout.write(isJson ? json({ ...plan, done: false }) : `${safe(plan.sentence)}\n`);
    return hasConflicts ? EXIT.failed : EXIT.done;
  }
  const decided = hasConflicts ? undefined : await decide(parsed, plan);
  if (decided !== undefined) return decided;
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

/** Shows a plan and asks; returns the exit code unless it is to be carried out. */
async function decide(parsed: Parsed, plan: { sentence: string }): Promise<number | undefined> {
  const isJson = isSet(parsed, 'json');
  if (isSet(parsed, 'dry-run')) {
    process.stdout.write(isJson ? json({ ...plan, dry_run: true }) : `${plan.sentence}\n`);
    return EXIT.done;
  }
  if (isSet(parsed, 'yes')) return undefined;
  if (isJson || !process.stdin.isTTY || !process.stdout.isTTY) {
    throw new BatonError('usage', `Not done without --yes: ${plan.sentence}`, {
      hint: 'Add --yes to do it, or --dry-run to only see what would happen.',
    });
  }
  const answer = await askYes(plan.sentence);
  if (answer === 'yes') return undefined;
  if (answer === 'interrupted') return EXIT.interrupted;
  process.stdout.write('Nothing was changed.\n');
  return EXIT.failed;
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
