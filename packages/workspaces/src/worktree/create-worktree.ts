import { randomBytes } from 'node:crypto';
import {
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import { resolveLinks } from '@baton/config/paths/resolve-links';
import { BatonError } from '@baton/protocol/values';
import type { Git } from '../git/git.ts';
import { refuseHugeTree } from '../git/refuse-huge-tree.ts';
import {
  findRepository,
  isRepository,
  type RepositoryFacts,
  readFacts,
} from '../git/repository.ts';
import { PrivateRepository } from '../snapshot/private-repository.ts';
import { takeSnapshot } from '../snapshot/snapshot.ts';
import { splitAtNul } from '../snapshot/split-at-nul.ts';
import { DEFAULT_BRANCH_TEMPLATE, freeName, slugOf } from './branch-name.ts';
import { deletePrivateFolder, deleteWorktree } from './discard-worktree.ts';
import { mergeChanges } from './merge-changes.ts';
import { populateWorktree } from './populate-worktree.ts';
import { UserRepository } from './user-repository.ts';
import type { StoredWorkspace, WorkspaceFiles } from './workspace-files.ts';
import { thisProcess } from './workspace-owner.ts';

/** Steps of a creation, in the order in which they end. */
export type CreateStep = 'recorded' | 'registered' | 'populated' | 'ready';

/** Something about a new worktree that its user may not expect. */
export type WorkspaceNotice = {
  kind: 'submodules' | 'lfs' | 'not_copied' | 'cwd_missing';
  text: string;
};

/** The files of another folder of the same repository, at one time. */
export type WorktreeOrigin = {
  /** Their tree, in Baton's repository. */
  tree: string;
  /** HEAD at that time; HEAD of the source if it is gone. */
  head?: string | undefined;
  /** The base of that folder, which the new worktree is compared with too. */
  baseRef?: string | null | undefined;
  baseCommit?: string | null | undefined;
};

export type CreateWorktreeOptions = {
  git: Git;
  files: WorkspaceFiles;
  /** Folder in a repository that the session is for. */
  source: string;
  /** Folder of all worktrees; the new one is in `<folder>/<repository>/<slug>`. */
  folder: string;
  /** Id of the record; a new one by default. */
  id?: string | undefined;
  /** Prompt, title or name that the branch and the folder are named after. */
  name?: string | undefined;
  /** Branch, tag, remote branch or commit to start from; HEAD by default. */
  base?: string | undefined;
  /** Files to start with instead of those of the base, such as those of a checkpoint. */
  from?: WorktreeOrigin | undefined;
  /** True to take the uncommitted changes of the source along. */
  withChanges?: boolean | undefined;
  /** Template of branch names; `baton/<slug>` by default. */
  branchTemplate?: string | undefined;
  host?: string | undefined;
  sessionId?: string | undefined;
  createdBy?: string | undefined;
  onStep?: ((step: CreateStep) => void) | undefined;
  /** Aborting it removes everything that was made. */
  signal?: AbortSignal | undefined;
};

export type CreatedWorktree = {
  record: StoredWorkspace;
  notices: readonly WorkspaceNotice[];
};

/**
 * Makes a worktree on a new branch. Its record is on the disk before anything else, so that a crash leaves nothing
 * unknown. No hook and no filter of the repository runs.
 */
export function createWorktree(options: CreateWorktreeOptions): Promise<CreatedWorktree> {
  return create(options);
}

/** Place that a worktree shares with those of other repositories. */
type InGroup = { target?: string; group?: string };

async function create(options: CreateWorktreeOptions & InGroup): Promise<CreatedWorktree> {
  const { git, files, source, signal, onStep } = options;
  stopIfAborted(signal);
  refuseAround(source);
  const repository = UserRepository.find(git, source);
  const facts = await readFacts(git, repository.place);
  const { from } = options;
  const isHeadThere = from?.head !== undefined && (await repository.commitOf(from.head));
  const start = from ? (isHeadThere ? from.head : undefined) : options.base;
  const base = await resolveBase(repository, facts, start);
  const changes = options.withChanges
    ? await changesOf(repository, files.stateFolder, { facts, base: base.commit, signal })
    : undefined;
  const baseTree = await repository.treeOf(base.commit);
  await refuseHugeTree(git, repository.call({ signal }), baseTree);
  const record = await reserve(repository, base, options);
  try {
    onStep?.('recorded');
    stopIfAborted(signal);
    await register(repository, record, base.commit);
    onStep?.('registered');
    stopIfAborted(signal);
    const own = await populateWorktree({
      git,
      stateFolder: files.stateFolder,
      path: record.path,
      filesTree: from?.tree ?? changes?.tree ?? baseTree,
      indexTree: baseTree,
      signal,
    });
    onStep?.('populated');
    const notices = [...(changes?.notices ?? []), ...(await inspect(own))];
    const { cwd, notice } = startFolder(record.path, record.cwd);
    stopIfAborted(signal);
    const ready = {
      ...record,
      cwd,
      // Until here, the base is the commit that the new branch is deleted with.
      base_ref: from?.baseRef ?? record.base_ref,
      base_commit: from?.baseCommit ?? record.base_commit,
      state: 'ready' as const,
      owner: undefined,
      pending: undefined,
    };
    files.put(ready);
    onStep?.('ready');
    return { record: ready, notices: [...notices, ...notice] };
  } catch (error) {
    await discard(repository, files, record);
    throw explain(error, facts);
  }
}

export type CreatedWorktrees = {
  /** Folder with all worktrees, in which the agent starts. */
  path: string;
  worktrees: readonly CreatedWorktree[];
};

/** Makes a worktree of every repository in a plain folder, side by side in one folder; all of them or none. */
export async function createWorktrees(options: CreateWorktreeOptions): Promise<CreatedWorktrees> {
  const { files, git, source, folder, name = 'task' } = options;
  const roots = repositoriesIn(source);
  if (roots.length === 0) {
    throw new BatonError('git_failed', `${source} contains no Git repository.`, {
      hint: 'Run in place, or choose a folder with repositories.',
    });
  }
  const around = realpathSync(source);
  const parent = join(resolveLinks('/', folder) ?? folder, basename(around));
  const unlock = await files.lockNames(options.signal);
  let group: string;
  try {
    const taken = files.list().flatMap((record) => record.group ?? []);
    const slug = slugOf(name);
    const path = (n: number) => join(parent, n === 1 ? slug : `${slug}-${n}`);
    let n = 1;
    while (existsSync(path(n)) || taken.includes(path(n))) n += 1;
    group = path(n);
  } finally {
    unlock();
  }
  const made: CreatedWorktree[] = [];
  try {
    for (const root of roots) {
      const target = join(group, relative(around, root));
      made.push(await create({ ...options, source: root, target, group }));
    }
  } catch (error) {
    for (const { record } of made) {
      await discard(UserRepository.find(git, record.repository ?? ''), files, record);
    }
    throw error;
  }
  return { path: group, worktrees: made };
}

/** Rejects a folder that is no repository and has some in it: a worktree is of one of them. */
function refuseAround(source: string): void {
  const folder = statSync(source, { throwIfNoEntry: false })?.isDirectory() ? source : undefined;
  if (!folder || isRepository(findRepository(folder))) return;
  const roots = repositoriesIn(folder);
  if (roots.length === 0) return;
  const names = roots.slice(0, MAX_NAMED).map((root) => relative(realpathSync(folder), root));
  const more = roots.length > MAX_NAMED ? ', …' : '';
  throw new BatonError(
    'git_failed',
    `${folder} is not a Git repository, but has some in it: ${names.join(', ')}${more}.`,
    { hint: 'Start the agent in one of them, or run in place.' },
  );
}

const MAX_NAMED = 5;
const MAX_DEPTH = 3;
const MAX_REPOSITORIES = 50;

/** Roots of the repositories in a folder, not those inside of other repositories. */
export function repositoriesIn(folder: string): string[] {
  const found: string[] = [];
  const visit = (path: string, depth: number) => {
    if (found.length >= MAX_REPOSITORIES) return;
    if (lstatSync(join(path, '.git'), { throwIfNoEntry: false })) {
      const place = findRepository(path);
      if (isRepository(place) && place.root === path) found.push(path);
      return;
    }
    if (depth === MAX_DEPTH) return;
    for (const entry of foldersIn(path)) {
      const isHidden = entry.name.startsWith('.') || entry.name === 'node_modules';
      if (!isHidden) visit(join(path, entry.name), depth + 1);
    }
  };
  visit(realpathSync(folder), 0);
  return found.sort();
}

function foldersIn(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  } catch {
    // Not readable, or deleted meanwhile.
    return [];
  }
}

type Base = { ref: string; commit: string };

async function resolveBase(
  repository: UserRepository,
  facts: RepositoryFacts,
  wanted: string | undefined,
): Promise<Base> {
  if (wanted === undefined) {
    if (facts.head) return { ref: facts.branch ?? facts.head, commit: facts.head };
    throw new BatonError('git_failed', `${repository.place.root} has no commit yet.`, {
      hint: 'Commit first, or run in place.',
    });
  }
  for (const ref of [wanted, `origin/${wanted}`]) {
    const commit = await repository.commitOf(ref);
    if (commit) return { ref: ref === 'HEAD' ? (facts.branch ?? commit) : ref, commit };
  }
  throw new BatonError('not_found', `"${wanted}" is not a branch, tag or commit.`, {
    hint: `Run "git branch -a" in ${repository.place.root} to see the branches.`,
  });
}

/** The tree of the base with the uncommitted changes of the source. */
async function changesOf(
  { git, place }: UserRepository,
  stateFolder: string,
  {
    facts,
    base,
    signal,
  }: { facts: RepositoryFacts; base: string; signal: AbortSignal | undefined },
): Promise<{ tree: string; notices: WorkspaceNotice[] } | undefined> {
  if (place.kind === 'bare' || !facts.head) return undefined;
  const own = await PrivateRepository.open(git, stateFolder, place.root);
  const snapshot = await takeSnapshot(own, { signal });
  const tree = await mergeChanges(own, { from: facts.head, to: base, tree: snapshot.tree });
  const notices = snapshot.gaps.map(({ paths, count, kind }): WorkspaceNotice => {
    const what = kind === 'nested' ? 'nested repositories' : 'uncommitted files';
    const text = `${count} ${what} were not copied (${kind}): ${paths.join(', ')}`;
    return { kind: 'not_copied', text };
  });
  return { tree, notices };
}

/** Chooses the names of a workspace and writes its record. */
async function reserve(
  repository: UserRepository,
  base: Base,
  options: CreateWorktreeOptions & InGroup,
): Promise<StoredWorkspace> {
  const { files, git, source, folder, name = 'task', target, group, signal } = options;
  const { place, mainRoot } = repository;
  const parent = join(resolveLinks('/', folder) ?? folder, repository.name);
  const unlock = await files.lockNames(signal);
  try {
    const records = files.list();
    const own = records.filter((record) => record.repository === mainRoot);
    const paths = new Set(records.map(({ path }) => path.toLowerCase()));
    const entries = new Set(namesIn(parent).map((entry) => entry.toLowerCase()));
    const { slug, branch } = await freeName({
      git,
      slug: slugOf(name),
      template: options.branchTemplate ?? DEFAULT_BRANCH_TEMPLATE,
      branches: [...(await repository.branches()), ...own.flatMap((record) => record.branch ?? [])],
      isFolderTaken: (each) =>
        target === undefined && (entries.has(each) || paths.has(join(parent, each).toLowerCase())),
    });
    const path = target ?? join(parent, slug);
    const now = new Date().toISOString();
    const record: StoredWorkspace = {
      workspace_id: options.id ?? `ws_${randomBytes(8).toString('hex')}`,
      kind: 'worktree',
      state: 'creating',
      host: options.host ?? hostname(),
      repository: mainRoot,
      path,
      cwd: join(path, relative(place.root, realpathSync(source))),
      branch,
      base_ref: base.ref,
      base_commit: base.commit,
      session_id: options.sessionId ?? null,
      created_by: options.createdBy ?? null,
      created_at: now,
      used_at: now,
      ports: {},
      setup: null,
      removed: null,
      problem: null,
      owner: thisProcess(),
      pending: 'create',
      ...(group ? { group } : {}),
    };
    files.put(record);
    return record;
  } finally {
    unlock();
  }
}

/** Adds the worktree and its branch to the repository, without files: checking them out would run filters. */
async function register(
  repository: UserRepository,
  { path, branch }: Pick<StoredWorkspace, 'path' | 'branch'>,
  commit: string,
): Promise<void> {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (cause) {
    throw new BatonError('usage', `The folder for worktrees ${dirname(path)} cannot be made.`, {
      hint: 'Choose another folder for worktrees.',
      cause,
    });
  }
  // Not stopped by a signal: a killed git would leave locks in the user's repository.
  await repository.git.run(
    ['worktree', 'add', '--quiet', '--no-checkout', '-b', branch ?? '', '--', path, commit],
    repository.call(),
  );
}

/** Removes everything that a creation made; the record stays, as failed, if something cannot be removed. */
export async function discard(
  repository: UserRepository,
  files: WorkspaceFiles,
  record: StoredWorkspace,
): Promise<void> {
  try {
    deleteWorktree(record, repository);
    const { branch, base_commit: base } = record;
    // Without the repository there is no branch either.
    const isThere = existsSync(repository.place.commonDir);
    if (isThere && branch && base && !repository.worktreeOf(branch)) {
      await repository.deleteBranch(branch, base);
    }
    deletePrivateFolder(files.stateFolder, record, repository);
    files.delete(record.workspace_id);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    files.put({ ...record, state: 'failed', problem, owner: undefined, pending: undefined });
  }
}

/** Submodules and LFS files of a new worktree, which Git itself would have filled by running programs. */
async function inspect(repository: PrivateRepository): Promise<WorkspaceNotice[]> {
  const { git, root: path } = repository;
  const notices: WorkspaceNotice[] = [];
  const rules: string[] = [];
  let modules = 0;
  const onOutput = splitAtNul((entry) => {
    if (entry.subarray(0, SUBMODULE.length).equals(SUBMODULE)) modules += 1;
    if (!entry.subarray(-RULES.length).equals(RULES)) return;
    const name = entry.toString('utf8', entry.indexOf('\t') + 1);
    if (basename(name) === RULES.toString()) rules.push(name);
  });
  await git.run(['ls-files', '-s', '-z'], repository.call({ onOutput }));
  if (modules > 0) {
    const text = `${modules} submodules are not initialized. The setup script can do it with "git submodule update --init".`;
    notices.push({ kind: 'submodules', text });
  }
  if (rules.some((name) => mentionsLfs(join(path, name)))) {
    const text =
      'Files in Git LFS are pointers. The setup script can fetch them with "git lfs pull".';
    notices.push({ kind: 'lfs', text });
  }
  return notices;
}

const [SUBMODULE, RULES] = [Buffer.from('160000 '), Buffer.from('.gitattributes')];
const MAX_ATTRIBUTES = 1024 * 1024;

function mentionsLfs(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > MAX_ATTRIBUTES) return false;
  return readFileSync(file, 'utf8').includes('filter=lfs');
}

/** The folder that the agent starts in; the root if the worktree has no such folder. */
function startFolder(path: string, cwd: string): { cwd: string; notice: WorkspaceNotice[] } {
  const isIn = isInside(path, cwd, { orEqual: true });
  if (isIn && statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return { cwd, notice: [] };
  const text = `The worktree has no folder ${relative(path, cwd)}, so the agent starts in its root.`;
  return { cwd: path, notice: [{ kind: 'cwd_missing', text }] };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new BatonError('interrupted', 'The creation of the worktree was stopped.');
}

/** Adds the reason to errors of Git that do not name it. */
function explain(error: unknown, facts: RepositoryFacts): unknown {
  if (!BatonError.is(error) || error.code !== 'git_failed') return error;
  // Git does not say why a write failed.
  if (error.message.includes('unable to write file')) {
    return new BatonError(
      'no_resources',
      `The disk is full, or a limit is reached: ${error.message}`,
      {
        hint: 'Free disk space, or choose another folder for worktrees.',
        cause: error,
      },
    );
  }
  if (!facts.isPartial) return error;
  return new BatonError(
    'git_failed',
    'This is a partial clone, and files of this commit were not downloaded yet. Baton does not use the network for them.',
    {
      hint: 'Check the commit out once in the repository, or run "git fetch --refetch --no-filter".',
      cause: error,
    },
  );
}
