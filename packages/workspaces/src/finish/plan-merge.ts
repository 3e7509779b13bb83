import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError, type MergeMethod, type MergePlan } from '@baton/protocol/values';
import { type Differences, differences } from '../snapshot/differences.ts';
import { entryAt } from '../snapshot/entry-at.ts';
import { takeSnapshot } from '../snapshot/snapshot.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { treeOfIndex } from '../worktree/inspect-worktree.ts';
import { HEADS, type UserRepository } from '../worktree/user-repository.ts';
import { type FinishPlace, refuseBusy } from './finish-place.ts';
import { mergedTree } from './merged-tree.ts';

type PlanOptions = {
  method: MergeMethod;
  target: string;
  signal?: AbortSignal | undefined;
};

/**
 * Says what a merge would do; changes nothing. The files are merged as they are now, uncommitted changes included, because
 * they are committed first.
 */
export async function planMerge(
  home: WorkspaceHome,
  place: FinishPlace,
  { method, target, signal }: PlanOptions,
): Promise<MergePlan> {
  const { repository, own, head, merging, branch, record, snapshot } = place;
  if (branch === undefined) throw detached(place);
  if (target === branch) {
    throw new BatonError('usage', `${branch} cannot be merged into itself.`, {
      hint: 'Choose another branch with --into.',
    });
  }
  const from = await repository.commitOf(`${HEADS}${target}`);
  if (from === undefined) throw noTarget(target, repository);
  const base = await baseOf(repository, { record, from, head, merging });
  const found = await commitsBetween(repository, base, head);
  const commits = found.map(({ id, subject }) => ({ id, subject }));
  const whole = await mergedTree(own, { base, ours: from, theirs: snapshot.tree });
  const { tree } = whole;
  const conflicts =
    method === 'rebase' && whole.conflicts.length === 0 && base !== from
      ? await rebaseConflicts(place, { from, commits: found })
      : whole.conflicts;
  signal?.throwIfAborted();
  const hasWork = commits.length > 0 || place.changes.total > 0;
  if (!hasWork || (conflicts.length === 0 && tree === (await repository.treeOf(from)))) {
    throw new BatonError('conflict', `${target} already has everything that is in ${branch}.`, {
      hint: 'There is nothing to merge.',
    });
  }
  const checkout = await checkoutOf(home, place, { target, tree, from });
  return { method, target, from, head, base, commits, checkout, conflicts: [...conflicts] };
}

type FoundCommit = { id: string; subject: string; parents: readonly string[] };

/** Files in which a commit of the branch, or its uncommitted work, conflicts with the target and the commits before it. */
async function rebaseConflicts(
  { own, head, snapshot, changes }: FinishPlace,
  { from, commits }: { from: string; commits: readonly FoundCommit[] },
): Promise<readonly string[]> {
  const steps = commits
    .filter(({ parents }) => parents.length === 1)
    .map(({ id, parents }) => ({ base: parents[0] ?? '', theirs: id }));
  if (changes.total > 0) steps.push({ base: head, theirs: snapshot.tree });
  let ours = from;
  for (const step of steps) {
    const { tree, conflicts } = await mergedTree(own, { ...step, ours });
    if (conflicts.length > 0) return conflicts;
    ours = tree;
  }
  return [];
}

/** Commits of a branch since a base, oldest first. */
export async function commitsBetween(
  repository: UserRepository,
  base: string,
  head: string,
): Promise<FoundCommit[]> {
  const text = await repository.git.text(
    [
      'log',
      '--reverse',
      '--topo-order',
      '--format=%H%x1f%P%x1f%s',
      '--end-of-options',
      `${base}..${head}`,
    ],
    repository.call(),
  );
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id = '', parents = '', ...subject] = line.split('\x1f');
      return { id, parents: parents.split(' '), subject: subject.join('\x1f') };
    });
}

/** The commit since which a branch has work of its own: after a squash, the one that was merged then. */
async function baseOf(
  repository: UserRepository,
  {
    record,
    from,
    head,
    merging,
  }: Pick<FinishPlace, 'record' | 'head' | 'merging'> & { from: string },
): Promise<string> {
  // The files have what is being merged already, with its conflicts resolved.
  if (merging) {
    const shared = await repository.git.text(
      ['merge-base', from, merging],
      repository.call({ answers: [1] }),
    );
    if (shared) return shared;
  }
  const merged = record?.merged;
  if (merged && (await repository.hasCommit(from, merged.commit))) {
    if (await repository.hasCommit(head, merged.head)) return merged.head;
  }
  const found = await repository.git.text(
    ['merge-base', from, head],
    repository.call({ answers: [1] }),
  );
  if (found) return found;
  throw new BatonError('git_failed', 'The two branches have no commit in common.', {
    hint: 'Choose another branch with --into.',
  });
}

/** The folder that has the target checked out; rejects with `conflict` unless it can be updated without a loss. */
async function checkoutOf(
  home: WorkspaceHome,
  { repository, own: merging }: Pick<FinishPlace, 'repository' | 'own'>,
  { target, tree, from }: { target: string; tree: string; from: string },
): Promise<string | null> {
  const folder = repository.worktreeOf(target);
  if (folder === undefined || !existsSync(folder)) return null;
  refuseBusy(home, folder);
  const own = await home.open(folder);
  const [snapshot, index, fromTree] = await Promise.all([
    takeSnapshot(own),
    treeOfIndex(own),
    repository.treeOf(from),
  ]);
  const [edited, incoming] = await Promise.all([
    differences(own, [fromTree, snapshot.tree], { maxFiles: Number.MAX_SAFE_INTEGER }),
    differences(merging, [fromTree, tree], { maxFiles: Number.MAX_SAFE_INTEGER }),
  ]);
  const changed = edited.files.filter(({ kind }) => kind !== 'added').map(({ path }) => path);
  const where = `${target} is checked out in ${folder}, which has`;
  if (changed.length > 0 || index !== fromTree) {
    const what = changed.length > 0 ? listed(changed) : 'staged changes';
    throw new BatonError('conflict', `${where} uncommitted changes: ${what}.`, {
      hint: 'Commit or stash them there, or check another branch out there, and try again.',
    });
  }
  const inTheWay = filesInTheWay(folder, incoming);
  if (inTheWay.length === 0) return folder;
  throw new BatonError(
    'conflict',
    `${where} files that the merge would make: ${listed(inTheWay)}.`,
    {
      hint: 'Move or delete them there, or check another branch out there, and try again.',
    },
  );
}

/** Files on the disk that Git does not know, where a merge would make new ones. */
function filesInTheWay(folder: string, { files }: Differences): string[] {
  const gone = new Set(
    files.flatMap(({ kind, path, old_path }) => (kind === 'deleted' ? path : (old_path ?? []))),
  );
  const made = files.filter(({ kind }) => kind === 'added' || kind === 'renamed');
  const isFile = (path: string) => entryAt(join(folder, path))?.isDirectory() === false;
  const found = made.flatMap(({ path }) => {
    const parts = path.split('/');
    const around = parts.map((_, n) => parts.slice(0, n + 1).join('/'));
    return around.find((each) => isFile(each) && !gone.has(each)) ?? [];
  });
  return [...new Set(found)];
}

const MAX_NAMED = 5;

export function listed(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return `${paths.slice(0, MAX_NAMED).join(', ')}${more}`;
}

export function detached({ path }: FinishPlace): BatonError {
  return new BatonError('conflict', `${path} has no branch checked out.`, {
    hint: 'Create one there with "git switch -c NAME".',
  });
}

function noTarget(target: string, { mainRoot }: UserRepository): BatonError {
  return new BatonError('not_found', `There is no branch "${target}" in ${mainRoot}.`, {
    hint: 'Choose a local branch with --into.',
  });
}
