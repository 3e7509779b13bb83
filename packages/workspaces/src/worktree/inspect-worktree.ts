import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { findRepository, isRepository, readHead } from '../git/repository.ts';
import { type Differences, differences } from '../snapshot/differences.ts';
import { resolvePointers } from '../snapshot/lfs-pointers.ts';
import { PrivateRepository } from '../snapshot/private-repository.ts';
import { type Snapshot, type SnapshotGap, takeSnapshot } from '../snapshot/snapshot.ts';
import { findIgnored, type IgnoredFiles } from './ignored-files.ts';
import { HEADS, type Ref, UserRepository } from './user-repository.ts';
import type { StoredWorkspace, WorkspaceTools } from './workspace-files.ts';
import { isInUse } from './workspace-use.ts';

/** Work that is only in this worktree. */
export type Loss = {
  kind: 'changes' | 'commits' | 'ignored' | 'operation' | 'gaps' | 'session';
  count: number;
  /** A sentence for the user. */
  text: string;
};

/** A worktree as it is now. */
export type InspectedWorktree = {
  repository: UserRepository;
  own: PrivateRepository;
  /** Commit of HEAD; undefined before the first commit. */
  head: string | undefined;
  /** Branch of HEAD; undefined if it is detached. The agent may have changed it. */
  branch: string | undefined;
  snapshot: Snapshot;
  /** Tree of the index; undefined during a merge with conflicts. */
  indexTree: string | undefined;
  /** Differences between HEAD and the files. */
  changes: Differences;
  /** HEAD, the branch of the record, and commits that only the log of HEAD has. */
  tips: readonly string[];
  /** Commits of the record's branch and HEAD that no other branch, tag or remote branch has. */
  ownCommits: number;
  ignored: IgnoredFiles;
  losses: readonly Loss[];
};

/** Operations of Git that leave a state in the worktree until they end. */
const OPERATIONS = {
  MERGE_HEAD: 'merge',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  BISECT_LOG: 'bisect',
} as const;
const MAX_LOG_BYTES = 4 * 1024 * 1024;
const MAX_LOGGED = 1000;

/** Reads everything that decides if work would be lost with a worktree. Executes and changes nothing there. */
export async function inspectWorktree(
  { git, files }: WorkspaceTools,
  record: StoredWorkspace,
  signal?: AbortSignal,
): Promise<InspectedWorktree> {
  refuseWithoutRepository(record);
  const repository = UserRepository.find(git, record.path);
  if (repository.place.root !== record.path) {
    throw new BatonError('git_failed', `${record.path} is no longer a worktree.`, {
      hint: 'Its .git file is missing. Run "git worktree repair" in the repository.',
    });
  }
  const own = await PrivateRepository.open(git, files.stateFolder, record.path);
  const [{ head, branch }, snapshot, indexTree, refs, ignored] = await Promise.all([
    readHead(git, repository.place),
    takeSnapshot(own, { signal }),
    treeOfIndex(own),
    repository.refs(),
    findIgnored(own, record, signal),
  ]);
  const headTree = head ? await repository.treeOf(head) : await emptyTree(own);
  const before = await resolvePointers(own, headTree, snapshot.tree);
  const changes = await differences(own, [before, snapshot.tree], { signal });
  const current = `${HEADS}${record.branch}`;
  const branchTip = refs.find(({ name }) => name === current)?.id;
  const others = refs.filter(({ name }) => name !== current).map(({ id }) => id);
  const tips = [...new Set([head, branchTip].flatMap((id) => id ?? []))];
  const logged = loggedCommits(repository.place.gitDir);
  const merged = await mergedHead(repository, record);
  const ownCommits = await repository.countCommits(tips, [...others, ...merged]);
  const losses = [
    ...uncommitted(changes, indexTree !== undefined && indexTree !== headTree),
    ...unpushed(ownCommits, branch ?? record.branch),
    ...onlyIgnored(ignored),
    ...unfinished(repository.place.gitDir),
    ...missing(await lossesIn(own, snapshot)),
    ...session(files, record),
  ];
  return {
    repository,
    own,
    head,
    branch,
    snapshot,
    indexTree,
    changes,
    tips: [...new Set([...tips, ...logged])],
    ownCommits,
    ignored,
    losses,
  };
}

function refuseWithoutRepository({ path, repository }: StoredWorkspace): void {
  if (!repository || existsSync(repository) || !existsSync(path)) return;
  if (isRepository(findRepository(path))) return;
  throw new BatonError('git_failed', `The repository ${repository} was moved or deleted.`, {
    hint: `If it was moved, run "git worktree repair ${path}" in it. If it is gone for good, delete the folder ${path} first.`,
  });
}

/** Commit of the base as it is now, and commits that only one of base and branch has. */
export async function compareWithBase(
  { repository, head }: Pick<InspectedWorktree, 'repository' | 'head'>,
  { base_ref, base_commit, branch }: StoredWorkspace,
): Promise<{ base: string | undefined; ahead: number | null; behind: number | null }> {
  const named = base_ref && base_ref !== branch ? await repository.commitOf(base_ref) : undefined;
  const tip = named ?? base_commit ?? undefined;
  if (!head || !tip) return { base: tip, ahead: null, behind: null };
  const [ahead, behind, base] = await Promise.all([
    repository.countCommits([head], [tip]),
    repository.countCommits([tip], [head]),
    repository.git.text(['merge-base', tip, head], repository.call({ answers: [1, 128] })),
  ]);
  return { base: base || base_commit || tip, ahead, behind };
}

/** The commit of the branch whose work another branch has, although as other commits. */
async function mergedHead(
  repository: UserRepository,
  { merged }: Pick<StoredWorkspace, 'merged'>,
): Promise<string[]> {
  if (!merged) return [];
  const isThere = await repository.hasCommit(`${HEADS}${merged.target}`, merged.commit);
  return isThere ? [merged.head] : [];
}

/** Tree of the user's index, so that staged content is known which the files no longer have. */
export async function treeOfIndex(own: PrivateRepository): Promise<string | undefined> {
  const index = own.source && join(own.source.gitDir, 'index');
  if (!index || !existsSync(index)) return undefined;
  const copy = own.copyIndex({ isEmpty: true });
  try {
    copyFileSync(index, copy.path);
    return await own.git.text(['write-tree'], own.call({ indexFile: copy.path }));
  } catch {
    return undefined;
  } finally {
    copy.drop();
  }
}

function emptyTree(own: PrivateRepository): Promise<string> {
  return own.git.text(['mktree'], own.objects({ input: '' }));
}

/** Commits that HEAD of this worktree was on: the log is deleted with the worktree. */
function loggedCommits(gitDir: string): string[] {
  try {
    const log = readFileSync(join(gitDir, 'logs/HEAD'));
    const text = log.subarray(Math.max(0, log.length - MAX_LOG_BYTES)).toString('latin1');
    const ids = text
      .split('\n')
      .flatMap((line) => /^[0-9a-f]+ ([0-9a-f]{40,64}) /.exec(line)?.[1] ?? []);
    return [...new Set(ids.slice(-MAX_LOGGED))].filter((id) => !/^0+$/.test(id));
  } catch {
    return [];
  }
}

function uncommitted({ total }: Differences, isStaged: boolean): Loss[] {
  if (total === 0 && !isStaged) return [];
  const text = total === 0 ? 'Staged changes' : `${count(total, 'file')} with uncommitted changes`;
  return [{ kind: 'changes', count: total, text }];
}

function unpushed(commits: number, branch: string | null): Loss[] {
  if (commits === 0) return [];
  const where = branch ? `on ${branch} ` : '';
  const text = `${count(commits, 'commit')} ${where}that no other branch and no remote has`;
  return [{ kind: 'commits', count: commits, text }];
}

function onlyIgnored({ own, unkept }: IgnoredFiles): Loss[] {
  const words = (paths: readonly string[], what: string) =>
    `${count(paths.length, 'ignored file')} ${what}: ${named(paths)}`;
  return [
    ...(own.length > 0
      ? [{ kind: 'ignored' as const, count: own.length, text: words(own, 'of its own') }]
      : []),
    ...(unkept.length > 0
      ? [
          {
            kind: 'gaps' as const,
            count: unkept.length,
            text: words(unkept, 'that cannot be kept'),
          },
        ]
      : []),
  ];
}

/** Some of the paths. */
function named(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return `${paths.slice(0, MAX_NAMED).join(', ')}${more}`;
}

const MAX_NAMED = 5;

function unfinished(gitDir: string): Loss[] {
  const found = operationIn(gitDir);
  return found ? [{ kind: 'operation', count: 1, text: `A ${found} that has not ended` }] : [];
}

/** The operation of Git that has not ended in a working tree, such as a merge with conflicts. */
export function operationIn(gitDir: string): string | undefined {
  return Object.entries(OPERATIONS).find(([name]) => existsSync(join(gitDir, name)))?.[1];
}

/** Gaps without the submodules whose files and commits are elsewhere too. */
async function lossesIn(around: PrivateRepository, { gaps }: Snapshot): Promise<SnapshotGap[]> {
  const found: SnapshotGap[] = [];
  for (const gap of gaps) {
    const paths: string[] = [];
    for (const path of gap.paths) {
      if (gap.kind !== 'nested' || !(await isUnchanged(around, path))) paths.push(path);
    }
    const count = gap.count - gap.paths.length + paths.length;
    if (count > 0) found.push({ ...gap, paths, count });
  }
  return found;
}

/** True for a submodule whose files are those of its commit, and whose commits its remote has. */
async function isUnchanged(around: PrivateRepository, path: string): Promise<boolean> {
  const { git } = around;
  try {
    const repository = UserRepository.find(git, join(around.root, path));
    const { place } = repository;
    if (place.kind !== 'submodule') return false;
    const own = await PrivateRepository.open(git, join(around.gitDir, 'nested'), place.root);
    const [{ head }, snapshot, indexTree, refs, stash] = await Promise.all([
      readHead(git, place),
      takeSnapshot(own),
      treeOfIndex(own),
      repository.refs(),
      repository.commitOf('refs/stash'),
    ]);
    if (!head || unfinished(place.gitDir).length > 0) return false;
    const headTree = await repository.treeOf(head);
    const filesTree = await resolvePointers(own, headTree, snapshot.tree);
    if (snapshot.tree !== filesTree || indexTree !== headTree) return false;
    const isRemote = ({ name }: Ref) => name.startsWith('refs/remotes/');
    const local = refs.filter((ref) => !isRemote(ref)).map(({ id }) => id);
    const tips = [head, ...local, ...(stash ? [stash] : []), ...loggedCommits(place.gitDir)];
    const remote = refs.filter(isRemote).map(({ id }) => id);
    if ((await repository.countCommits(tips, remote)) > 0) return false;
    return (await lossesIn(own, snapshot)).length === 0;
  } catch (error) {
    if (BatonError.is(error)) return false;
    throw error;
  }
}

/** Files that no checkpoint can bring back. */
function missing(gaps: readonly SnapshotGap[]): Loss[] {
  const all = gaps.reduce((sum, gap) => sum + gap.count, 0);
  if (all === 0) return [];
  const names = gaps.flatMap(({ paths }) => paths).slice(0, 5);
  const text = `${count(all, 'entry', 'entries')} that a checkpoint cannot keep: ${names.join(', ')}`;
  return [{ kind: 'gaps', count: all, text }];
}

function session(files: WorkspaceTools['files'], record: StoredWorkspace): Loss[] {
  if (!isInUse(files, record)) return [];
  return [{ kind: 'session', count: 1, text: 'A session that has not ended' }];
}

function count(number: number, word: string, plural = `${word}s`): string {
  return `${number} ${number === 1 ? word : plural}`;
}
