import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { readHead } from '../git/repository.ts';
import { type Differences, differences } from '../snapshot/differences.ts';
import { entryAt } from '../snapshot/entry-at.ts';
import type { PrivateRepository } from '../snapshot/private-repository.ts';
import { type Snapshot, takeSnapshot } from '../snapshot/snapshot.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { FolderSessions } from '../worktree/folder-sessions.ts';
import { operationIn } from '../worktree/inspect-worktree.ts';
import { settledWorkspace } from '../worktree/reconcile.ts';
import { UserRepository } from '../worktree/user-repository.ts';
import type { StoredWorkspace } from '../worktree/workspace-files.ts';
import { isInUse } from '../worktree/workspace-use.ts';
import { personGit } from './person-git.ts';

/** A working tree whose work is to be finished, as it is now. */
export type FinishPlace = {
  /** The worktree, if Baton made or adopted it. */
  record: StoredWorkspace | undefined;
  repository: UserRepository;
  own: PrivateRepository;
  /** Root of the files. */
  path: string;
  /** Undefined if HEAD is detached. */
  branch: string | undefined;
  head: string;
  /** The commit that is being merged into it; undefined without a merge that has not ended. */
  merging: string | undefined;
  /** Files in which that merge has left conflict markers. */
  unresolved: readonly string[];
  snapshot: Snapshot;
  /** Differences between HEAD and the files. */
  changes: Differences;
};

/** Reads a working tree. Executes and changes nothing there. */
export async function finishPlace(
  home: WorkspaceHome,
  folder: string,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<FinishPlace> {
  const repository = UserRepository.find(home.git, folder);
  const { root: path, kind } = repository.place;
  if (kind === 'bare') {
    throw new BatonError('git_failed', `${path} has no working tree.`, {
      hint: 'Name the worktree to finish, or run the command in its folder.',
    });
  }
  const found = home.files
    .list()
    .find((each) => each.path === path && each.kind === 'worktree' && each.state !== 'removed');
  const record = found && (await settledWorkspace(home, found.workspace_id));
  const own = await home.open(path);
  const { head, branch } = await readHead(home.git, repository.place);
  if (head === undefined) {
    throw new BatonError('git_failed', `${path} has no commit yet.`, {
      hint: 'Commit once first.',
    });
  }
  const taken = await takeSnapshot(own, { signal });
  const compare = (tree: string) =>
    differences(own, [`${head}^{tree}`, tree], { maxFiles: Number.MAX_SAFE_INTEGER, signal });
  const all = await compare(taken.tree);
  const snapshot = { ...taken, tree: await withoutIgnored({ repository, own }, taken.tree, all) };
  const changes = snapshot.tree === taken.tree ? all : await compare(snapshot.tree);
  const merging = mergeHead(repository);
  const unresolved = merging ? await filesWithMarkers(repository) : [];
  return { record, repository, own, path, branch, head, merging, unresolved, snapshot, changes };
}

/** The tree of a snapshot without new files that are ignored by now: a snapshot goes on with what it once had. */
async function withoutIgnored(
  { repository, own }: Pick<FinishPlace, 'repository' | 'own'>,
  tree: string,
  { files }: Differences,
): Promise<string> {
  const fresh = files.filter(({ kind }) => kind === 'added' || kind === 'renamed');
  if (fresh.length === 0) return tree;
  const { git } = own;
  const index = own.copyIndex({ isEmpty: true });
  const call = own.call({ indexFile: index.path });
  try {
    await git.run(['read-tree', tree], call);
    const [ignored, tracked] = await Promise.all([
      git.records(['ls-files', '-z', '--cached', '--ignored', '--exclude-standard'], call),
      git.records(['ls-files', '-z', '--cached'], repository.call()),
    ]);
    const [news, known] = [new Set(fresh.map(({ path }) => path)), new Set(tracked)];
    const left = ignored.filter((path) => news.has(path) && !known.has(path));
    if (left.length === 0) return tree;
    const input = left.map((path) => `${path}\0`).join('');
    await git.run(['update-index', '--force-remove', '-z', '--stdin'], { ...call, input });
    return await git.text(['write-tree'], call);
  } finally {
    index.drop();
  }
}

/** Rejects with `conflict` while an agent works in a place or an operation of Git has not ended there. */
export function refuseUnready(
  home: WorkspaceHome,
  { path, record, repository, merging, unresolved }: FinishPlace,
): void {
  refuseBusy(home, path, record);
  const [unready] = unresolved;
  if (unready !== undefined) {
    const more = unresolved.length > 1 ? ` and ${unresolved.length - 1} more` : '';
    throw new BatonError('conflict', `${unready}${more} in ${path} still has conflict markers.`, {
      hint: 'Resolve the conflicts, or take the merge back with "git merge --abort".',
    });
  }
  const operation = operationIn(repository.place.gitDir);
  // A merge without conflicts ends with its commit.
  if (operation === undefined || merging !== undefined) return;
  throw new BatonError('conflict', `A ${operation} has not ended in ${path}.`, {
    hint: `Finish it there, or take it back with "git ${operation} --abort".`,
  });
}

/** The commit that is being merged. */
function mergeHead({ place }: UserRepository): string | undefined {
  const file = join(place.gitDir, 'MERGE_HEAD');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n')[0] : undefined;
}

const MARKERS = [/^<{7} /m, /^>{7} /m];
/** A larger file is not searched. */
const MAX_SEARCHED = 5 * 1024 * 1024;

/** True for a file with the markers of a conflict. */
export function hasMarkers(file: string): boolean {
  const entry = entryAt(file);
  if (!entry?.isFile() || entry.size > MAX_SEARCHED) return false;
  const text = readFileSync(file, 'latin1');
  return MARKERS.every((marker) => marker.test(text));
}

/** Files that Git has not merged and that have conflict markers. */
async function filesWithMarkers(repository: UserRepository): Promise<string[]> {
  const unmerged = await repository.git.records(
    ['ls-files', '-z', '--unmerged'],
    repository.call(),
  );
  const paths = new Set(unmerged.map((line) => line.slice(line.indexOf('\t') + 1)));
  return [...paths].filter((path) => hasMarkers(join(repository.place.root, path)));
}

/** Rejects with `conflict` while an agent works in a folder. */
export function refuseBusy(
  home: WorkspaceHome,
  path: string,
  record?: StoredWorkspace | undefined,
): void {
  const isBusy = record && isInUse(home.files, record);
  if (!isBusy && new FolderSessions(home).in(path).length === 0) return;
  throw new BatonError('conflict', `An agent is still working in ${path}.`, {
    hint: 'Wait for it or stop it first, and try again.',
  });
}

/** Hooks that a commit runs, in the order in which they run. */
const COMMIT_HOOKS = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'];

/** The hooks that a commit in a folder would run; none of them is executed. */
export function commitHooks(place: Pick<FinishPlace, 'path'>): Promise<string[]> {
  return hooksAmong(place, COMMIT_HOOKS);
}

/** Those of some hooks that the repository of a folder has. */
export async function hooksAmong(
  { path }: Pick<FinishPlace, 'path'>,
  names: readonly string[],
): Promise<string[]> {
  const { lines } = await personGit(['rev-parse', '--git-path', 'hooks'], { cwd: path });
  const named = lines[0] ?? '';
  const folder = isAbsolute(named) ? named : join(path, named);
  return names.filter((name) => {
    const file = join(folder, name);
    return existsSync(file) && (statSync(file).mode & 0o111) !== 0;
  });
}
