import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import type { Git, GitCall } from '../git/git.ts';
import { findRepository, isRepository, type RepositoryPlace } from '../git/repository.ts';

/** A branch, tag or remote branch, with the object that it names. */
export type Ref = { name: string; id: string };

/** Calls of git on a repository of the user, for its refs and history. They run no program that it names. */
export class UserRepository {
  readonly git: Git;
  readonly place: RepositoryPlace;

  constructor(git: Git, place: RepositoryPlace) {
    this.git = git;
    this.place = place;
  }

  /** Finds the repository of a folder; throws an error that says why there is none. */
  static find(git: Git, folder: string): UserRepository {
    return new UserRepository(git, findPlace(folder));
  }

  call(more: Partial<GitCall> = {}): GitCall {
    const { root, gitDir, kind } = this.place;
    // A working tree that the configuration names elsewhere is not used.
    return { cwd: root, gitDir, ...(kind === 'bare' ? {} : { workTree: root }), ...more };
  }

  /** Root of the repository that all its worktrees belong to. */
  get mainRoot(): string {
    const { kind, commonDir, root } = this.place;
    if (kind !== 'linked') return root;
    return basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
  }

  /** The name for folders of its worktrees. */
  get name(): string {
    return basename(this.mainRoot).replace(/\.git$/, '') || 'repository';
  }

  /** Resolves a branch, tag, remote branch or commit; undefined if there is none. */
  async commitOf(ref: string): Promise<string | undefined> {
    if (ref.startsWith('-') || ref.includes('\0')) return undefined;
    const found = await this.git.text(
      ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`],
      this.call({ answers: [1, 128] }),
    );
    return /^[0-9a-f]{40,64}$/.test(found) ? found : undefined;
  }

  async treeOf(commit: string): Promise<string> {
    return this.git.text(['rev-parse', '--verify', `${commit}^{tree}`], this.call());
  }

  /** Branches, tags and remote branches. */
  async refs(): Promise<Ref[]> {
    const text = await this.git.text(
      [
        'for-each-ref',
        '--format=%(objectname) %(refname)',
        'refs/heads/',
        'refs/remotes/',
        'refs/tags/',
      ],
      this.call(),
    );
    return text.split('\n').flatMap((line) => {
      const at = line.indexOf(' ');
      return at < 0 ? [] : [{ id: line.slice(0, at), name: line.slice(at + 1) }];
    });
  }

  async branches(): Promise<string[]> {
    const names = (await this.refs()).map(({ name }) => name);
    return names.filter((name) => name.startsWith(HEADS)).map((name) => name.slice(HEADS.length));
  }

  /** Number of commits that are in `tips` and in none of `others`. */
  async countCommits(tips: readonly string[], others: readonly string[]): Promise<number> {
    if (tips.length === 0) return 0;
    const input = [...tips, ...others.map((id) => `^${id}`)].map((line) => `${line}\n`).join('');
    const count = await this.git.text(
      ['rev-list', '--count', '--ignore-missing', '--stdin'],
      this.call({ input }),
    );
    return Number(count);
  }

  /** True if a commit is an ancestor of another one, or the same. */
  async hasCommit(tip: string, commit: string): Promise<boolean> {
    const { code } = await this.git.run(
      ['merge-base', '--is-ancestor', commit, tip],
      this.call({ answers: [1, 128] }),
    );
    return code === 0;
  }

  /** Deletes a branch if it still is at a commit; returns false if it is not. */
  async deleteBranch(branch: string, commit: string): Promise<boolean> {
    const { code } = await this.git.run(
      ['update-ref', '-d', `${HEADS}${branch}`, commit],
      this.call({ answers: [1, 128] }),
    );
    return code === 0;
  }

  /** The folder of the worktree that has a branch checked out; undefined if none has. */
  worktreeOf(branch: string): string | undefined {
    const { commonDir, kind } = this.place;
    const isIn = (gitDir: string) => head(gitDir) === `ref: ${HEADS}${branch}`;
    if (kind !== 'bare' && isIn(commonDir)) return this.mainRoot;
    return linkedWorktrees(commonDir).find(({ gitDir }) => isIn(gitDir))?.path;
  }
}

export const HEADS = 'refs/heads/';

/** A worktree that a repository knows, by its folder in the repository; the worktree itself may be gone. */
type LinkedWorktree = { gitDir: string; path: string };

/** Worktrees of a repository, as its files say. */
export function linkedWorktrees(commonDir: string): LinkedWorktree[] {
  const folder = join(commonDir, 'worktrees');
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const gitDir = join(folder, name);
    const target = firstLine(join(gitDir, 'gitdir'));
    return target ? [{ gitDir, path: dirname(join(target)) }] : [];
  });
}

/** Finds the repository of a folder; throws an error that says why there is none. */
function findPlace(folder: string): RepositoryPlace {
  let found: ReturnType<typeof findRepository>;
  try {
    found = findRepository(folder);
  } catch (cause) {
    throw new BatonError('cwd_missing', `The folder ${folder} does not exist.`, {
      hint: 'It was moved or deleted. Choose another folder.',
      cause,
    });
  }
  if (isRepository(found)) return found;
  if (found.reason === 'elsewhere') {
    throw new BatonError(
      'git_failed',
      `${found.path} leads to a repository that does not know this folder, so Baton does not follow it.`,
      { hint: 'If the repository was moved, run "git worktree repair" there, or run in place.' },
    );
  }
  throw new BatonError('git_failed', `${folder} is not in a Git repository.`, {
    hint: 'Run "git init" and commit, or run in place.',
  });
}

function head(gitDir: string): string | undefined {
  return firstLine(join(gitDir, 'HEAD'));
}

function firstLine(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n', 1)[0]?.trimEnd();
  } catch {
    return undefined;
  }
}
