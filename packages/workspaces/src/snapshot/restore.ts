import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { withDiskErrors } from '../git/disk-errors.ts';
import { type Checkpoint, type CheckpointNote, createCheckpoint } from './checkpoints.ts';
import { type Differences, differences } from './differences.ts';
import { entryAt } from './entry-at.ts';
import type { PrivateRepository } from './private-repository.ts';
import { takeSnapshot } from './snapshot.ts';

type RestoreOptions = {
  /** The tree whose files come back. */
  tree: string;
  /** Only these files and folders; everything by default. */
  paths?: readonly string[] | undefined;
  /** Stored with the checkpoint that is made first. */
  note?: Omit<CheckpointNote, 'kind'> | undefined;
  signal?: AbortSignal | undefined;
};

export type Restored = {
  /** The files as they were before; restoring it takes this back. */
  before: Checkpoint;
  changes: Differences;
  /** Submodules that had another commit then: they keep the present one. */
  submodules: readonly string[];
};

/** Somebody may edit while files are restored: what changed meanwhile is kept by another checkpoint. */
const ATTEMPTS = 5;
const LOCK_MS = 60_000;
/** Permissions of everybody but the owner. */
const OF_OTHERS = 0o077;

/**
 * Brings files back to the state of a tree. The present state becomes a checkpoint first, and only files that are still
 * in that state are replaced. The user's index, HEAD and refs stay as they are.
 */
export function restore(repository: PrivateRepository, options: RestoreOptions): Promise<Restored> {
  return withDiskErrors(() => restoreFiles(repository, options));
}

async function restoreFiles(
  repository: PrivateRepository,
  { tree, paths, note, signal }: RestoreOptions,
): Promise<Restored> {
  const timeout = AbortSignal.timeout(LOCK_MS);
  const unlock = await repository.lock(signal ? AbortSignal.any([signal, timeout]) : timeout);
  try {
    for (let attempt = 1; ; attempt++) {
      const before = await checkpointBefore(repository, tree, { ...note, kind: 'undo' }, signal);
      const { target, submodules } = await targetOf(repository, before.tree, { tree, paths });
      const changes = await differences(repository, [before.tree, target], { signal });
      if (changes.total === 0) return { before, changes, submodules };
      const keepPrivate = privateFiles(repository, changes);
      try {
        await checkOut(repository, before.tree, target);
        keepPrivate();
        return { before, changes, submodules };
      } catch (error) {
        const isRace = BatonError.is(error) && error.code === 'git_failed';
        if (!isRace || attempt === ATTEMPTS) throw error;
      }
    }
  } finally {
    unlock();
  }
}

/** Finds changed files that only their owner may read, and returns the function that makes them so again: Git does not. */
function privateFiles({ root }: PrivateRepository, { files }: Differences): () => void {
  const found = files.flatMap(({ path }) => {
    const entry = entryAt(join(root, path));
    return entry?.isFile() && (entry.mode & OF_OTHERS) === 0 ? join(root, path) : [];
  });
  return () => {
    for (const path of found) {
      const entry = entryAt(path);
      if (entry?.isFile()) chmodSync(path, entry.mode & ~OF_OTHERS);
    }
  };
}

/** The changes that `restore` would make. */
export async function previewRestore(
  repository: PrivateRepository,
  { tree, paths, signal }: Omit<RestoreOptions, 'note'>,
): Promise<Differences> {
  const present = await takeSnapshot(repository, { signal });
  const { target } = await targetOf(repository, present.tree, { tree, paths });
  return differences(repository, [present.tree, target], { signal });
}

/** A checkpoint that also has the ignored files which are in the way of files to restore. */
async function checkpointBefore(
  repository: PrivateRepository,
  tree: string,
  note: CheckpointNote,
  signal: AbortSignal | undefined,
): Promise<Checkpoint> {
  const snapshot = await takeSnapshot(repository, { signal });
  const { files } = await differences(repository, [snapshot.tree, tree], {
    maxFiles: Number.POSITIVE_INFINITY,
    signal,
  });
  const include = files
    .filter(({ kind, path }) => kind !== 'deleted' && isThere(join(repository.root, path)))
    .map(({ path }) => path);
  const whole = include.length > 0 ? await takeSnapshot(repository, { include, signal }) : snapshot;
  return createCheckpoint(repository, note, { snapshot: whole, signal });
}

function isThere(path: string): boolean {
  const found = entryAt(path);
  return found !== undefined && !found.isDirectory();
}

type Target = { target: string; submodules: readonly string[] };

/** The tree that the folder should have. Submodules stay: checking out a commit would run programs that it names. */
async function targetOf(
  repository: PrivateRepository,
  present: string,
  wanted: Pick<RestoreOptions, 'tree' | 'paths'>,
): Promise<Target> {
  const target = await targetTree(repository, present, wanted);
  const { files } = await differences(repository, [present, target], {
    maxFiles: Number.POSITIVE_INFINITY,
  });
  const submodules = files.filter(({ entry }) => entry === 'submodule').map(({ path }) => path);
  if (submodules.length === 0) return { target, submodules };
  const paths = files
    .filter(({ entry }) => entry !== 'submodule')
    .flatMap(({ path, old_path }) => (old_path ? [old_path, path] : [path]));
  return { target: await targetTree(repository, present, { tree: target, paths }), submodules };
}

/** The present tree with some paths of another. */
async function targetTree(
  repository: PrivateRepository,
  present: string,
  { tree, paths }: Pick<RestoreOptions, 'tree' | 'paths'>,
): Promise<string> {
  if (!paths) return tree;
  const { git } = repository;
  const index = repository.copyIndex({ isEmpty: true });
  const call = repository.call({ indexFile: index.path });
  try {
    await git.run(['read-tree', present], call);
    const isMeant = meant(paths);
    const listed = (await git.records(['ls-files', '-z'], call)).filter(isMeant);
    await git.run(['update-index', '--force-remove', '-z', '--stdin'], {
      ...call,
      input: listed.map((path) => `${path}\0`).join(''),
    });
    const entries = await git.records(['ls-tree', '-r', '-z', '--full-tree', tree], call);
    const wanted = entries.filter((entry) => isMeant(entry.slice(entry.indexOf('\t') + 1)));
    const input = wanted.map((entry) => `${entry}\0`).join('');
    await git.run(['update-index', '-z', '--index-info'], { ...call, input });
    return await git.text(['write-tree'], call);
  } finally {
    index.drop();
  }
}

/** True for the paths themselves, and for files in them. There may be more than fit on a command line. */
function meant(paths: readonly string[]): (path: string) => boolean {
  const all = new Set(paths.map((path) => path.replace(/\/+$/, '')));
  return (path) => {
    for (let at = path; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
      if (all.has(at)) return true;
    }
    return false;
  };
}

/** Replaces the files that differ, and fails if one of them is no longer as it is in `present`. */
async function checkOut(
  repository: PrivateRepository,
  present: string,
  target: string,
): Promise<void> {
  const index = repository.copyIndex();
  const call = repository.call({ indexFile: index.path });
  try {
    await repository.git.run(['read-tree', '-m', '-u', present, target], call);
    index.keep();
  } finally {
    index.drop();
  }
}
