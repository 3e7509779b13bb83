import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../git/git.ts';
import { PrivateRepository } from '../snapshot/private-repository.ts';

type PopulateOptions = {
  git: Git;
  stateFolder: string;
  /** Root of a worktree without files. */
  path: string;
  /** Tree whose files are written. */
  filesTree: string;
  /** Tree that `git status` compares the files with; the same by default. */
  indexTree?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** A large repository on a slow disk takes long; the caller can stop it at any time. */
const CHECKOUT_MS = 3_600_000;

/**
 * Writes the files of an empty worktree with Baton's own repository, so that no filter and no hook of the user's runs, and
 * gives the worktree an index that knows size and time of every file.
 */
export async function populateWorktree({
  git,
  stateFolder,
  path,
  filesTree,
  indexTree = filesTree,
  signal,
}: PopulateOptions): Promise<PrivateRepository> {
  const repository = await PrivateRepository.open(git, stateFolder, path);
  const { source } = repository;
  if (!source) throw new Error(`${path} is not a worktree`);
  copySparseSet(source.gitDir, repository.gitDir);
  const own = repository.copyIndex({ isEmpty: true });
  const users = repository.copyIndex({ isEmpty: true });
  try {
    await git.run(
      ['read-tree', '--reset', '-u', filesTree],
      repository.call({ indexFile: own.path, signal, timeoutMs: CHECKOUT_MS }),
    );
    copyFileSync(own.path, users.path);
    own.keep();
    if (indexTree !== filesTree) {
      // Entries that are the same keep the size and time of their files.
      await git.run(
        ['read-tree', '--reset', indexTree],
        repository.call({ indexFile: users.path, signal }),
      );
    }
    installIndex(users.path, source.gitDir);
  } finally {
    own.drop();
    users.drop();
  }
  return repository;
}

function installIndex(from: string, gitDir: string): void {
  // The same name as Git's, so that another Git in the worktree waits.
  const lock = join(gitDir, 'index.lock');
  try {
    copyFileSync(from, lock);
    renameSync(lock, join(gitDir, 'index'));
  } finally {
    rmSync(lock, { force: true });
  }
}

function copySparseSet(from: string, to: string): void {
  const set = join(from, 'info/sparse-checkout');
  if (!existsSync(set)) return;
  mkdirSync(join(to, 'info'), { recursive: true });
  copyFileSync(set, join(to, 'info/sparse-checkout'));
}
