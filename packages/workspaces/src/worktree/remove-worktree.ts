import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { copyObjects } from '../git/copy-objects.ts';
import { withDiskErrors } from '../git/disk-errors.ts';
import { createCheckpoint, findCheckpoint } from '../snapshot/checkpoints.ts';
import { keyOf, PrivateRepository } from '../snapshot/private-repository.ts';
import { protectObjects } from '../snapshot/protect-objects.ts';
import { deletePrivateFolder, deleteWorktree } from './discard-worktree.ts';
import { diskUse } from './disk-use.ts';
import { followRepository } from './follow-repository.ts';
import { keepIgnored, restoreIgnored } from './ignored-files.ts';
import { type InspectedWorktree, inspectWorktree, type Loss } from './inspect-worktree.ts';
import { populateWorktree } from './populate-worktree.ts';
import { HEADS, UserRepository } from './user-repository.ts';
import type { RemovedWorkspace, StoredWorkspace, WorkspaceTools } from './workspace-files.ts';
import { thisProcess } from './workspace-owner.ts';

const DAY_MS = 86_400_000;
/** Time in which a removed workspace can be restored. */
export const RESTORE_MS = 30 * DAY_MS;

export type RemovalCheck = {
  /** Work that is only in this workspace; nothing is lost if it is empty. */
  losses: readonly Loss[];
  /** Disk space that the removal frees; null if it was not counted in time. */
  bytes: number | null;
};

/** Says which work would be lost with a workspace. */
export async function removalCheck(
  tools: WorkspaceTools,
  id: string,
  signal?: AbortSignal,
): Promise<RemovalCheck> {
  const record = tools.files.get(id);
  const [{ losses }, bytes] = await Promise.all([
    inspectWorktree(tools, record, signal),
    diskUse(record.path, { signal }),
  ]);
  return { losses, bytes };
}

export type RemoveStep = 'kept' | 'recorded' | 'deleted' | 'removed';

export type RemoveWorktreeOptions = WorkspaceTools & {
  id: string;
  /** True to remove it although work would be lost, which `restoreWorktree` brings back for 30 days. */
  force?: boolean | undefined;
  /** True to delete the branch too; by default only if all its commits are in other branches. */
  deleteBranch?: boolean | undefined;
  onStep?: ((step: RemoveStep) => void) | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * Removes a worktree. Its files and commits are kept in Baton's own repository first. Rejects with `conflict` and the
 * list of what would be lost, unless forced.
 */
export function removeWorktree(options: RemoveWorktreeOptions): Promise<StoredWorkspace> {
  return withDiskErrors(() => remove(options));
}

async function remove(options: RemoveWorktreeOptions): Promise<StoredWorkspace> {
  const { git, files, id, force = false, deleteBranch = false, onStep, signal } = options;
  const known = files.get(id);
  if (known.state === 'removed') return finishRemoval(options, known);
  const record = (await followRepository({ git, files }, known)) ?? known;
  if (isGone(record)) {
    files.delete(id);
    return { ...record, state: 'removed' };
  }
  if (record.kind !== 'worktree') {
    throw new BatonError('conflict', `${record.path} is not a worktree, so it is not removed.`);
  }
  const found = await inspectWorktree({ git, files }, record, signal);
  refuseLosses(record, found.losses, force);
  const { own, head, branch, snapshot, repository } = found;
  const checkpoint = await createCheckpoint(
    own,
    { kind: 'remove', head, branch, sessionId: record.session_id ?? undefined },
    { snapshot, signal },
  );
  const ignoredTree = await keepIgnored(own, found.ignored.kept, signal);
  await keepCommits(record, found, ignoredTree);
  onStep?.('kept');
  const tip = record.branch ? await repository.commitOf(`${HEADS}${record.branch}`) : undefined;
  const mayDelete = !record.adopted && (deleteBranch || found.ownCommits === 0);
  const now = Date.now();
  const removed: RemovedWorkspace = {
    at: new Date(now).toISOString(),
    expires_at: new Date(now + RESTORE_MS).toISOString(),
    checkpoint: checkpoint.number,
    commit: mayDelete && tip ? tip : null,
    head: head ?? null,
    is_detached: branch !== record.branch,
    index_tree: found.indexTree ?? null,
    ignored_tree: ignoredTree ?? null,
  };
  const owner = thisProcess();
  const pending = {
    ...record,
    state: 'removed' as const,
    removed,
    owner,
    pending: 'remove' as const,
  };
  files.put(pending);
  onStep?.('recorded');
  return finishRemoval(options, pending);
}

/** True for a worktree of which neither the folder nor the repository is left: nothing can be kept or restored. */
export function isGone({ path, repository }: StoredWorkspace): boolean {
  return !existsSync(path) && !existsSync(repository ?? '');
}

/** Deletes folder, metadata and branch of a workspace whose record says that it is removed; can be repeated. */
export async function finishRemoval(
  { git, files, onStep }: WorkspaceTools & Pick<RemoveWorktreeOptions, 'onStep'>,
  record: StoredWorkspace,
): Promise<StoredWorkspace> {
  if (!record.pending) return record;
  const repository = existsSync(record.repository ?? '')
    ? UserRepository.find(git, record.repository ?? '')
    : undefined;
  deleteWorktree(record, repository);
  onStep?.('deleted');
  const commit = record.removed?.commit;
  if (repository && record.branch && commit && !repository.worktreeOf(record.branch)) {
    await repository.deleteBranch(record.branch, commit);
  }
  const done = { ...record, owner: undefined, pending: undefined };
  files.put(done);
  onStep?.('removed');
  return done;
}

/** Copies commits that may be only in this worktree to Baton's repository, where refs keep them. */
async function keepCommits(
  record: StoredWorkspace,
  found: InspectedWorktree,
  ignoredTree: string | undefined,
): Promise<void> {
  const { own, repository, tips, snapshot, indexTree } = found;
  // Links all objects of the repository, if it can, so that the history before the base is kept too.
  await protectObjects(own, snapshot.tree, undefined);
  const except = record.base_commit ? [record.base_commit] : [];
  const { git } = own;
  await copyObjects(repository.call(), own.objects(), { tips, except, git });
  // Baton's repository has the tree itself, and borrows the staged files.
  const staged = indexTree ? [indexTree] : [];
  await copyObjects(own.objects(), own.objects(), { tips: staged, except: tips, git });
  const trees = [indexTree, ignoredTree].flatMap((tree) => tree ?? []);
  const kept = await Promise.all(
    trees.map((tree) => own.git.text(['commit-tree', tree], own.objects({ input: 'files' }))),
  );
  const input = [...tips, ...new Set(kept)]
    .map((commit, n) => `update ${refOf(record)}/${n} ${commit}\n`)
    .join('');
  if (input !== '') await own.git.run(['update-ref', '--stdin'], own.objects({ input }));
}

function refOf({ workspace_id }: Pick<StoredWorkspace, 'workspace_id'>): string {
  return `refs/removed/${workspace_id}`;
}

export type RestoreStep = 'recorded' | 'registered' | 'populated' | 'restored';

export type RestoreWorktreeOptions = WorkspaceTools & {
  id: string;
  onStep?: ((step: RestoreStep) => void) | undefined;
  signal?: AbortSignal | undefined;
};

/** Brings a removed workspace back: folder, branch, commits, staged changes and files. */
export async function restoreWorktree(options: RestoreWorktreeOptions): Promise<StoredWorkspace> {
  const { git, files, id, onStep, signal } = options;
  const found = files.get(id);
  if (found.state !== 'removed' || !found.removed) {
    throw new BatonError('conflict', `Workspace ${id} is not removed.`);
  }
  const record = await finishRemoval({ git, files }, found);
  const repository = UserRepository.find(git, record.repository ?? '');
  checkPlace(record, repository);
  files.put({ ...record, owner: thisProcess(), pending: 'restore' });
  try {
    onStep?.('recorded');
    await register(files.stateFolder, record, found.removed, repository);
    onStep?.('registered');
    const own = await PrivateRepository.open(git, files.stateFolder, record.path);
    const { tree } = await findCheckpoint(own, found.removed.checkpoint);
    const { head, index_tree: staged, ignored_tree: ignored } = found.removed;
    const indexTree = staged ?? (head ? await repository.treeOf(head) : undefined);
    const { stateFolder } = files;
    await populateWorktree({
      git,
      stateFolder,
      path: record.path,
      filesTree: tree,
      indexTree,
      signal,
    });
    if (ignored) await restoreIgnored(own, ignored, signal);
    onStep?.('populated');
    const now = new Date().toISOString();
    const done: StoredWorkspace = {
      ...record,
      state: 'idle',
      removed: null,
      used_at: now,
      owner: undefined,
      pending: undefined,
    };
    files.put(done);
    await deleteRefs(own.git, own.common, [refOf(record)]);
    onStep?.('restored');
    return done;
  } catch (error) {
    await finishRemoval({ git, files }, { ...record, pending: 'restore' });
    throw error;
  }
}

function checkPlace({ path, branch }: StoredWorkspace, repository: UserRepository): void {
  if (lstatSync(path, { throwIfNoEntry: false })) {
    throw new BatonError('conflict', `${path} exists, so the workspace cannot be restored there.`, {
      hint: 'Move that folder away and try again.',
    });
  }
  const elsewhere = branch ? repository.worktreeOf(branch) : undefined;
  if (elsewhere === undefined) return;
  throw new BatonError('conflict', `The branch ${branch} is checked out in ${elsewhere}.`, {
    hint: 'Check another branch out there and try again.',
  });
}

/** Adds the worktree and, if it was deleted, the branch to the repository again. */
async function register(
  stateFolder: string,
  { path, branch, base_commit }: StoredWorkspace,
  { commit, head, is_detached, index_tree }: RemovedWorkspace,
  repository: UserRepository,
): Promise<void> {
  const { git, place } = repository;
  const common = join(stateFolder, 'repositories', keyOf(place.commonDir));
  const needed = [...new Set([commit, head].flatMap((id) => id ?? []))];
  const known = await Promise.all(needed.map((id) => repository.commitOf(id)));
  // Staged content that was never committed is gone once the user's repository was cleaned.
  const tips = [
    ...needed.filter((_, n) => known[n] === undefined),
    ...(index_tree ? [index_tree] : []),
  ];
  const hasBase = base_commit ? await repository.commitOf(base_commit) : undefined;
  const except = [...(hasBase ? [hasBase] : []), ...known.flatMap((id) => id ?? [])];
  await copyObjects({ cwd: common, gitDir: common }, repository.call(), { tips, except, git });
  const tip = branch ? await repository.commitOf(`${HEADS}${branch}`) : undefined;
  mkdirSync(dirname(path), { recursive: true });
  const add = ['worktree', 'add', '--quiet', '--no-checkout'];
  const run = (...args: string[]) => git.run([...add, ...args], repository.call());
  if (is_detached || !branch) {
    if (branch && !tip && commit) {
      await git.run(['update-ref', `${HEADS}${branch}`, commit, ''], repository.call());
    }
    await run('--detach', '--', path, head ?? commit ?? tip ?? '');
    return;
  }
  if (tip) await run('--', path, branch);
  else await run('-b', branch, '--', path, commit ?? head ?? '');
}

/** Deletes removed workspaces that can no longer be restored; returns their ids. */
export async function expireRemoved(
  { git, files }: WorkspaceTools,
  now = Date.now(),
): Promise<string[]> {
  const expired = files
    .list()
    .filter(({ removed, pending }) => removed && !pending && Date.parse(removed.expires_at) <= now);
  for (const record of expired) {
    const repository = existsSync(record.repository ?? '')
      ? UserRepository.find(git, record.repository ?? '')
      : undefined;
    if (repository) {
      const common = join(files.stateFolder, 'repositories', keyOf(repository.place.commonDir));
      const refs = [refOf(record), `refs/checkpoints/${keyOf(record.path)}`];
      if (existsSync(common)) await deleteRefs(git, common, refs);
      deletePrivateFolder(files.stateFolder, record, repository);
    }
    files.delete(record.workspace_id);
  }
  return expired.map(({ workspace_id }) => workspace_id);
}

async function deleteRefs(
  git: PrivateRepository['git'],
  common: string,
  folders: readonly string[],
): Promise<void> {
  const call = { cwd: common, gitDir: common };
  const patterns = folders.map((folder) => `${folder}/`);
  const refs = await git.text(['for-each-ref', '--format=%(refname)', ...patterns], call);
  const input = refs
    .split('\n')
    .filter((ref) => ref !== '')
    .map((ref) => `delete ${ref}\n`);
  if (input.length > 0)
    await git.run(['update-ref', '--stdin'], { ...call, input: input.join('') });
}

/** Rejects with `conflict` and a list of the work that would be lost, unless forced. */
export function refuseLosses(
  { path }: Pick<StoredWorkspace, 'path'>,
  losses: readonly Loss[],
  force: boolean,
): void {
  if (losses.length === 0 || force) return;
  const list = losses.map(({ text }) => text).join('; ');
  throw new BatonError('conflict', `${path} has work that is nowhere else: ${list}.`, {
    hint: 'Commit and push it, or remove it by force: it can be restored for 30 days.',
  });
}
