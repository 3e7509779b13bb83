import { type Checkpoint, listCheckpoints } from '../snapshot/checkpoints.ts';
import { type Differences, differences } from '../snapshot/differences.ts';
import type { PrivateRepository } from '../snapshot/private-repository.ts';
import { previewRestore, type Restored, restore } from '../snapshot/restore.ts';
import { takeSnapshot } from '../snapshot/snapshot.ts';
import { beginningOf } from './session-changes.ts';

export type UndoOptions = {
  sessionId: string;
  /** Forks of the session that work in the same folder: what they changed since is taken back too. */
  forks?: readonly string[] | undefined;
  /** The turn; the latest by default. */
  taskId?: string | undefined;
  /** Only these files and folders. */
  paths?: readonly string[] | undefined;
};

/**
 * Takes a turn back, and the turns after it: the files that they changed become what they were before. Files that others
 * changed meanwhile stay as they are.
 */
export async function undoTurn(
  repository: PrivateRepository,
  options: UndoOptions,
): Promise<Restored & { target: Checkpoint }> {
  const { target, paths } = await targetOf(repository, options);
  const note = { sessionId: options.sessionId };
  return { ...(await restore(repository, { tree: target.tree, paths, note })), target };
}

/** The changes that `undoTurn` would make. */
export async function previewUndo(
  repository: PrivateRepository,
  options: UndoOptions,
): Promise<Differences> {
  const { target, paths } = await targetOf(repository, options);
  return previewRestore(repository, { tree: target.tree, paths });
}

async function targetOf(
  repository: PrivateRepository,
  { sessionId, forks = [], taskId, paths }: UndoOptions,
): Promise<{ target: Checkpoint; paths: readonly string[] }> {
  const all = await listCheckpoints(repository);
  const target = beginningOf(
    all.filter((each) => each.sessionId === sessionId),
    taskId,
  );
  if (paths) return { target, paths };
  const turns = all.filter((each) => [sessionId, ...forks].includes(each.sessionId ?? ''));
  const later = turns.filter(
    ({ kind, number }) => (kind === 'start' || kind === 'before') && number >= target.number,
  );
  const changed = new Set<string>();
  for (const before of later) {
    const after = turns.findLast((each) => each.kind === 'after' && each.taskId === before.taskId);
    // A turn that was killed has no end; what is there now is what it left.
    const { tree } = after ?? (await takeSnapshot(repository));
    const { files } = await differences(repository, [before.tree, tree], {
      maxFiles: Number.POSITIVE_INFINITY,
    });
    for (const { path, old_path: oldPath } of files) {
      changed.add(path);
      if (oldPath) changed.add(oldPath);
    }
  }
  return { target, paths: [...changed] };
}
