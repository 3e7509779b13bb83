import { writeFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import { BatonError } from '@baton/protocol/values';
import type {
  FinishPlace,
  FinishPlan,
  Loss,
  MergeMethod,
  StoredWorkspace,
  WorkspaceHome,
} from '@baton/workspaces';
import { type Command, isSet, type Parsed, textOf, textsOf } from '../arguments/command.ts';
import { EXIT } from '../exit-codes.ts';
import { askYes } from '../terminal/ask-yes.ts';
import { stopOnSignals } from '../terminal/stop-on-signals.ts';
import { safe } from '../view/style.ts';
import { printLine } from './workspace-scripts.ts';

const USAGE = 'baton finish commit|merge|patch|discard [options] [NAME]';
/** Number of files that are named. */
const MAX_NAMED = 10;
const METHODS: readonly string[] = ['squash', 'merge', 'rebase'] satisfies MergeMethod[];

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
      choices: METHODS,
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
  const { commitChanges, commitPlan, finishPlace } = await import('@baton/workspaces');
  const place = await finishPlace(home, folder);
  const files = textsOf(parsed, 'file');
  const paths = files.length > 0 ? files.map((file) => inside(place, folder, file)) : undefined;
  if (place.changes.total === 0) return nothing(parsed, `Nothing to commit in ${place.path}.`);
  const plan = await commitPlan(home, place, { message: textOf(parsed, 'message'), paths });
  return carryOut(parsed, plan, async (signal) => {
    const { message } = plan;
    const done = await commitChanges(home, place, { message, paths, onLine: printLine, signal });
    const { total } = done.changes;
    return {
      result: { ...plan, committed: done.commit },
      words: `Committed ${total} ${total === 1 ? 'file' : 'files'} as ${done.commit.slice(0, 10)}.`,
    };
  });
}

async function merge(parsed: Parsed, home: WorkspaceHome, folder: string): Promise<number> {
  const { CONFLICT_HINT, commitChanges, finishPlace, mergeBranch, mergePlan } = await import(
    '@baton/workspaces'
  );
  const place = await finishPlace(home, folder);
  const method = textOf(parsed, 'method') ?? 'squash';
  if (!METHODS.includes(method)) {
    throw new BatonError('usage', `--method must be ${METHODS.join(', ')}, not "${method}".`);
  }
  const target = textOf(parsed, 'into') ?? place.record?.base_ref ?? undefined;
  if (target === undefined) {
    throw new BatonError('usage', `Baton does not know where ${place.path} started.`, {
      hint: 'Choose a branch with --into.',
    });
  }
  const message = textOf(parsed, 'message');
  const request = { message, method: method as MergeMethod, target };
  const plan = await mergePlan(home, place, request);
  const { conflicts = [] } = plan.merge ?? {};
  if (conflicts.length > 0) {
    if (!isSet(parsed, 'json')) throw conflicting(conflicts, target, CONFLICT_HINT);
    process.stdout.write(`${JSON.stringify({ ...plan, done: false }, null, 2)}\n`);
    return EXIT.failed;
  }
  return carryOut(parsed, plan, async (signal) => {
    const options = { message: plan.message, onLine: printLine, signal };
    const mergeOf = async (ready: FinishPlace) => {
      // A commit has changed the branch, and its hooks may have changed the files.
      const again = await mergePlan(home, ready, { ...request, message: plan.message });
      if (!again.merge) throw new BatonError('internal', 'The merge has no plan.');
      return mergeBranch(home, ready, again.merge, options);
    };
    let merged: Awaited<ReturnType<typeof mergeBranch>>;
    if (plan.commit) {
      await commitChanges(home, place, { ...options, message: plan.commit.message });
      merged = await mergeOf(await finishPlace(home, place.path)).catch((error: unknown) => {
        throw afterCommit(error, place);
      });
    } else {
      merged = await mergeOf(place);
    }
    return {
      result: { ...plan, merged },
      words: `Merged ${place.branch} into ${merged.target}, which is at ${merged.commit.slice(0, 10)} now.`,
    };
  });
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
  const { refuseBusy, removalCheck, removeWorkspace } = await import('@baton/workspaces');
  const record = worktreeIn(home, folder);
  const { workspace_id: id, path, branch } = record;
  refuseBusy(home, path, record);
  const { losses } = await removalCheck(home, id);
  const isKept = ({ kind }: Loss) => kind !== 'gaps';
  const texts = (which: readonly Loss[]) => which.map(({ text }) => text).join(', ');
  const [kept, gone] = [losses.filter(isKept), losses.filter((loss) => !isKept(loss))];
  const sentence = [
    `Removes ${path}${record.adopted ? '; its branch stays' : ` and its branch ${branch}`}.`,
    ...(kept.length > 0 ? [`It has ${texts(kept)}, which can be restored for 30 days.`] : []),
    ...(gone.length > 0 ? [`This is gone for good: ${texts(gone)}.`] : []),
  ].join(' ');
  return carryOut(parsed, { path, sentence }, async (signal) => {
    await removeWorkspace({
      ...{ home, id, force: true, deleteBranch: !record.adopted, signal },
      onLine: printLine,
    });
    return {
      result: { path, sentence, workspace_id: id },
      words: `Discarded ${path}. Restore it with "baton workspaces restore ${basename(path)}".`,
    };
  });
}

type Done = { result: object; words: string };

/** Shows the plan, asks, and does it. */
async function carryOut(
  parsed: Parsed,
  plan: Pick<FinishPlan, 'path' | 'sentence'>,
  act: (signal: AbortSignal) => Promise<Done>,
): Promise<number> {
  const isJson = isSet(parsed, 'json');
  if (isSet(parsed, 'dry-run')) {
    const shown = { ...plan, dry_run: true };
    process.stdout.write(isJson ? `${JSON.stringify(shown, null, 2)}\n` : `${plan.sentence}\n`);
    return EXIT.done;
  }
  if (!isSet(parsed, 'yes')) {
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
    const { result, words } = await act(stop.signal);
    process.stdout.write(isJson ? `${JSON.stringify(result, null, 2)}\n` : `${words}\n`);
    return EXIT.done;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write('Stopped. The same command with --dry-run says what is left to do.\n');
    return EXIT.interrupted;
  } finally {
    stop.end();
  }
}

function nothing(parsed: Parsed, words: string): number {
  process.stdout.write(
    isSet(parsed, 'json') ? `${JSON.stringify({ done: false })}\n` : `${words}\n`,
  );
  return EXIT.done;
}

/** The path of a file relative to the root of the files. */
function inside({ path: root }: FinishPlace, folder: string, file: string): string {
  const path = resolve(folder, file);
  if (isInside(root, path)) return relative(root, path);
  throw new BatonError('usage', `${file} is not inside of ${root}.`);
}

/** The worktree of Baton in a folder. */
function worktreeIn({ files }: WorkspaceHome, folder: string): StoredWorkspace {
  try {
    return files.find(folder);
  } catch (error) {
    if (!BatonError.is(error) || error.code !== 'not_found') throw error;
    throw new BatonError('not_found', `${folder} is not a worktree of Baton.`, {
      hint: 'Only those can be restored. "baton workspaces adopt" makes it one.',
    });
  }
}

function conflicting(conflicts: readonly string[], target: string, hint: string): BatonError {
  const more = conflicts.length > MAX_NAMED ? ` and ${conflicts.length - MAX_NAMED} more` : '';
  const names = conflicts.slice(0, MAX_NAMED).map(safe).join(', ');
  return new BatonError(
    'conflict',
    `Nothing was changed: conflicts with ${target} in ${names}${more}.`,
    {
      hint,
    },
  );
}

/** The error of a merge whose work was committed before. */
function afterCommit(error: unknown, { branch }: FinishPlace): unknown {
  if (!BatonError.is(error)) return error;
  const hint = `The work is committed on ${branch}, and not merged yet. ${error.hint ?? ''}`.trim();
  return new BatonError(error.code, error.message, { hint, cause: error });
}
