import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import type { Git } from './git.ts';

/** The Git repository that a folder belongs to, as its files say; no command was run. */
export type RepositoryPlace = {
  /** Root of the working tree; of a bare repository, the repository itself. */
  root: string;
  /** Git directory of this working tree, with its HEAD and index. */
  gitDir: string;
  /** Git directory that all working trees share, with refs, objects and configuration. */
  commonDir: string;
  kind: 'main' | 'linked' | 'submodule' | 'bare';
};

/** Facts that decide what can be done with a repository. */
export type RepositoryFacts = {
  /** The commit of HEAD; undefined before the first commit. */
  head: string | undefined;
  /** The branch of HEAD; undefined if HEAD is detached. */
  branch: string | undefined;
  objectFormat: 'sha1' | 'sha256';
  isShallow: boolean;
  isSparse: boolean;
  /** True if objects are missing until they are used: reading them would need the network. */
  isPartial: boolean;
  hasSubmodules: boolean;
};

/** The reason why a folder in or around a repository is not treated as part of it. */
type NotARepository = { reason: 'none' } | { reason: 'elsewhere'; path: string };

const MAX_GIT_FILE = 4096;

/**
 * Finds the repository of a folder. A `.git` that leads to a repository which does not know this folder is not followed:
 * whatever wrote it could otherwise make Baton change any repository of the user.
 */
export function findRepository(folder: string): RepositoryPlace | NotARepository {
  const start = realpathSync(folder);
  for (let at = start; ; at = dirname(at)) {
    const entry = join(at, '.git');
    const found = lstatSync(entry, { throwIfNoEntry: false });
    if (found?.isDirectory() && isGitDir(entry)) {
      return { root: at, gitDir: entry, commonDir: entry, kind: 'main' };
    }
    if (found?.isFile()) return linkedTo(at, entry);
    if (found?.isSymbolicLink()) return { reason: 'elsewhere', path: entry };
    if (at === start && isGitDir(at)) {
      return { root: at, gitDir: at, commonDir: at, kind: 'bare' };
    }
    if (dirname(at) === at) return { reason: 'none' };
  }
}

export function isRepository(found: RepositoryPlace | NotARepository): found is RepositoryPlace {
  return 'gitDir' in found;
}

function isGitDir(path: string): boolean {
  const has = (name: string) => statSync(join(path, name), { throwIfNoEntry: false });
  return has('HEAD') !== undefined && has('objects')?.isDirectory() === true;
}

/** The repository of a `.git` file, if that repository knows the folder. */
function linkedTo(root: string, entry: string): RepositoryPlace | NotARepository {
  const elsewhere = { reason: 'elsewhere', path: entry } as const;
  const target = /^gitdir: (.+)/.exec(firstLine(entry) ?? '')?.[1];
  const gitDir = target && realPath(resolve(root, target));
  if (!gitDir) return elsewhere;
  const commonDir = realPath(resolve(gitDir, firstLine(join(gitDir, 'commondir')) ?? '.'));
  if (!commonDir || !isGitDir(commonDir)) return elsewhere;
  const back = firstLine(join(gitDir, 'gitdir'));
  const isLinked =
    basename(dirname(gitDir)) === 'worktrees' && dirname(dirname(gitDir)) === commonDir;
  if (isLinked && back && realPath(dirname(resolve(gitDir, back))) === root) {
    return { root, gitDir, commonDir, kind: 'linked' };
  }
  return isSubmodule(root, gitDir) ? { root, gitDir, commonDir, kind: 'submodule' } : elsewhere;
}

/** A submodule has its Git directory in that of the repository around it, or of the worktree around it. */
function isSubmodule(root: string, gitDir: string): boolean {
  if (dirname(root) === root) return false;
  const around = findRepository(dirname(root));
  if (!isRepository(around)) return false;
  return [around.commonDir, around.gitDir].some((each) => isInside(join(each, 'modules'), gitDir));
}

function firstLine(path: string): string | undefined {
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > MAX_GIT_FILE) return undefined;
    return readFileSync(path, 'utf8').split('\n', 1)[0]?.trimEnd();
  } catch {
    return undefined;
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** The commit and the branch of HEAD. */
export async function readHead(
  git: Git,
  place: RepositoryPlace,
): Promise<Pick<RepositoryFacts, 'head' | 'branch'>> {
  const told = headInFiles(place);
  if (told) return told;
  const { root, gitDir } = place;
  const call = { cwd: root, gitDir, answers: [1, 128], isLight: true };
  const head = await git.text(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], call);
  return { head: head || undefined, branch: branchIn(gitDir) };
}

function branchIn(gitDir: string): string | undefined {
  return /^ref: refs\/heads\/(.+)/.exec(firstLine(join(gitDir, 'HEAD')) ?? '')?.[1];
}

const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads HEAD from the files that git itself reads first, without starting it; undefined where they do not say all. */
function headInFiles({ gitDir, commonDir }: RepositoryPlace) {
  const head = firstLine(join(gitDir, 'HEAD')) ?? '';
  if (OBJECT_ID.test(head)) return { head, branch: undefined };
  const branch = branchIn(gitDir);
  if (!branch || branch.split('/').includes('..')) return undefined;
  const tip = firstLine(join(commonDir, 'refs/heads', branch));
  return tip && OBJECT_ID.test(tip) ? { head: tip, branch } : undefined;
}

/** Reads what a repository says of itself. */
export async function readFacts(git: Git, place: RepositoryPlace): Promise<RepositoryFacts> {
  const { root, gitDir, commonDir } = place;
  const [head, settings, own] = await Promise.all([
    readHead(git, place),
    readConfig(git, join(commonDir, 'config')),
    readConfig(git, join(gitDir, 'config.worktree')),
  ]);
  const isSet = (name: string) => (own.get(name) ?? settings.get(name)) === 'true';
  const isPartial = [...settings].some(
    ([name, value]) =>
      name === 'extensions.partialclone' ||
      (/^remote\..*\.promisor$/.test(name) && value === 'true'),
  );
  return {
    ...head,
    objectFormat: settings.get('extensions.objectformat') === 'sha256' ? 'sha256' : 'sha1',
    isShallow: statSync(join(commonDir, 'shallow'), { throwIfNoEntry: false }) !== undefined,
    isSparse: isSet('core.sparsecheckout'),
    isPartial,
    hasSubmodules: statSync(join(root, '.gitmodules'), { throwIfNoEntry: false }) !== undefined,
  };
}

/** The settings in a configuration file, without those of files that it includes. Names are in lower case. */
export async function readConfig(git: Git, file: string): Promise<ReadonlyMap<string, string>> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return new Map();
  // Not in the repository, whose own configuration would be read as well.
  const records = await git.records(
    ['config', '--file', file, '--no-includes', '--null', '--list'],
    { cwd: '/', answers: [1, 128], isLight: true },
  );
  return new Map(
    records.map((record) => {
      const [name = '', ...value] = record.split('\n');
      return [name.toLowerCase(), value.length === 0 ? 'true' : value.join('\n')];
    }),
  );
}
