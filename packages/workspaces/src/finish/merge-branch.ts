import { BatonError, type MergePlan } from '@baton/protocol/values';
import { copyObjects } from '../git/copy-objects.ts';
import { readHead } from '../git/repository.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { recordMerge } from '../worktree/merge-record.ts';
import { HEADS, UserRepository } from '../worktree/user-repository.ts';
import { thisProcess } from '../worktree/workspace-owner.ts';
import { type FinishPlace, refuseUnready } from './finish-place.ts';
import { mergedTree } from './merged-tree.ts';
import { type PersonCall, personGit, withTextFile } from './person-git.ts';
import { commitsBetween, listed } from './plan-merge.ts';

type MergeStep = 'made' | 'recorded' | 'moved' | 'merged';

type MergeOptions = Pick<PersonCall, 'onLine' | 'signal'> & {
  /** The message of the new commit; not used by a rebase, which keeps those of the commits. */
  message: string;
  /** Called with the merged commit before anything moves; an error of it prevents the merge. */
  check?: ((commit: string) => Promise<void>) | undefined;
  onStep?: ((step: MergeStep) => void) | undefined;
};

type Merged = { target: string; from: string; commit: string; checkout: string | null };

/**
 * Merges a branch into another. Everything is made before the target moves, in one step and only if it is still where the
 * plan found it; a crash leaves it at its old or its new commit.
 */
export async function mergeBranch(
  home: WorkspaceHome,
  place: FinishPlace,
  { method, target, from, base, checkout, conflicts }: MergePlan,
  { message, check, onLine, signal, onStep }: MergeOptions,
): Promise<Merged> {
  const { repository, head, record, path, changes, branch } = place;
  refuseUnready(home, place);
  if (conflicts.length > 0) throw conflicting(conflicts, target);
  if (changes.total > 0) {
    throw new BatonError('conflict', `${path} has uncommitted changes.`, {
      hint: 'Commit them first: "baton finish commit".',
    });
  }
  const commit =
    method === 'rebase'
      ? await rebased(place, { from, base, signal })
      : await oneCommit(place, { from, base, message, parents: method === 'merge' ? [head] : [] });
  onStep?.('made');
  await check?.(commit);
  signal?.throwIfAborted();
  const intent = { target, commit, head, at: new Date().toISOString() };
  if (record) {
    home.files.change(record.workspace_id, { merging: intent, owner: thisProcess() });
  }
  onStep?.('recorded');
  try {
    if (checkout) await forward(home, checkout, { target, from, commit, onLine });
    else await move(repository, { target, from, commit, branch });
  } catch (error) {
    if (record) home.files.change(record.workspace_id, { merging: undefined, owner: undefined });
    throw error;
  }
  onStep?.('moved');
  if (record) recordMerge(home, record.workspace_id, intent);
  onStep?.('merged');
  return { target, from, commit, checkout };
}

/** Moves a branch that is checked out nowhere, if it is still at a commit. */
async function move(
  repository: UserRepository,
  {
    target,
    from,
    commit,
    branch,
  }: { target: string; from: string; commit: string; branch?: string | undefined },
): Promise<void> {
  const { code } = await repository.git.run(
    ['update-ref', '-m', `baton finish: merge ${branch}`, `${HEADS}${target}`, commit, from],
    repository.call({ answers: [1, 128] }),
  );
  if (code !== 0) throw movedMeanwhile(target);
}

/** Updates the working tree that has the target checked out, together with its branch. */
async function forward(
  home: WorkspaceHome,
  cwd: string,
  {
    target,
    from,
    commit,
    onLine,
  }: { target: string; from: string; commit: string; onLine?: PersonCall['onLine'] },
): Promise<void> {
  const repository = UserRepository.find(home.git, cwd);
  const { head, branch } = await readHead(home.git, repository.place);
  if (head !== from || branch !== target) throw movedMeanwhile(target);
  // Not stopped by a signal: a killed git would leave locks and half of the files.
  const flags = ['--ff-only', '--no-overwrite-ignore', '--quiet', '--no-stat'];
  await personGit(['merge', ...flags, commit], { cwd, onLine });
}

/** Makes one commit of all changes since the base. */
async function oneCommit(
  { repository, own, head, path }: FinishPlace,
  {
    from,
    base,
    message,
    parents,
  }: { from: string; base: string; message: string; parents: readonly string[] },
): Promise<string> {
  const { tree, conflicts } = await mergedTree(own, { base, ours: from, theirs: head });
  if (conflicts.length > 0) throw conflicting(conflicts, 'the target');
  await keepTree({ repository, own }, tree, [from, head]);
  return commitTree(path, { tree, parents: [from, ...parents], message });
}

/** Repeats the commits of the branch on top of the target; their authors and messages stay. */
async function rebased(
  place: FinishPlace,
  { from, base, signal }: { from: string; base: string; signal?: AbortSignal | undefined },
): Promise<string> {
  const { repository, own, path, head } = place;
  if (base === from) return head;
  let tip = from;
  for (const { id } of await commitsBetween(repository, base, head)) {
    signal?.throwIfAborted();
    const { parents, env, message } = await readCommit(repository, id);
    // A merge commit brings what the other parents have; its own commits are in the list as well.
    if (parents.length !== 1) continue;
    const [ours, theirs] = [tip, id];
    const { tree, conflicts } = await mergedTree(own, { base: parents[0] ?? '', ours, theirs });
    if (conflicts.length > 0) throw conflicting(conflicts, 'the target', id);
    const tipTree = await repository.treeOf(tip);
    // The target has this change already.
    if (tree === tipTree) continue;
    await keepTree({ repository, own }, tree, [from, head, tip]);
    tip = await commitTree(path, { tree, parents: [tip], message, env });
  }
  return tip;
}

/** Makes a commit as the person, signed if they sign their commits. No hook runs. */
async function commitTree(
  cwd: string,
  {
    tree,
    parents,
    message,
    env,
  }: {
    tree: string;
    parents: readonly string[];
    message: string;
    env?: Readonly<Record<string, string>> | undefined;
  },
): Promise<string> {
  const signs = await personGit(['config', '--type=bool', '--get', 'commit.gpgSign'], {
    cwd,
    answers: [1],
  });
  const flags = parents.flatMap((parent) => ['-p', parent]);
  const sign = signs.lines[0] === 'true' ? ['-S'] : [];
  const { lines } = await withTextFile(message.endsWith('\n') ? message : `${message}\n`, (file) =>
    personGit(['commit-tree', ...sign, ...flags, '-F', file, tree], { cwd, env }),
  );
  return lines.at(-1) ?? '';
}

/** Copies the objects of a merged tree from Baton's repository to that of the user. */
async function keepTree(
  { repository, own }: Pick<FinishPlace, 'repository' | 'own'>,
  tree: string,
  except: readonly string[],
): Promise<void> {
  const { git } = repository;
  await copyObjects(own.objects(), repository.call(), { tips: [tree], except, git });
}

type CommitFacts = {
  parents: readonly string[];
  /** Variables with which Git gives a new commit the same author. */
  env: Readonly<Record<string, string>>;
  message: string;
};

async function readCommit(repository: UserRepository, id: string): Promise<CommitFacts> {
  const { text } = await repository.git.run(['cat-file', 'commit', id], repository.call());
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, end).split('\n');
  const values = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const [, name = '', email = '', date = ''] =
    /^(.*) <(.*)> (\d+ [+-]\d+)$/.exec(values('author')[0] ?? '') ?? [];
  return {
    parents: values('parent'),
    env: { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: `@${date}` },
    message: text.slice(end + 2),
  };
}

/** Advice about conflicts. */
export const CONFLICT_HINT =
  'Start the merge in the worktree with "baton finish resolve NAME", resolve the conflicts there or let the agent do it, and try again.';

function conflicting(paths: readonly string[], target: string, commit?: string): BatonError {
  const where = commit ? ` in ${commit.slice(0, 10)}` : '';
  return new BatonError('conflict', `Conflicts with ${target}${where}: ${listed(paths)}.`, {
    hint: CONFLICT_HINT,
  });
}

function movedMeanwhile(target: string): BatonError {
  return new BatonError('conflict', `${target} has moved meanwhile.`, {
    hint: 'Try again.',
  });
}
