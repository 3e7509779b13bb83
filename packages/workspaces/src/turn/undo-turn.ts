import { type Checkpoint, listCheckpoints } from '../snapshot/checkpoints.ts';
import type { Differences } from '../snapshot/differences.ts';
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

export type UndoneTurn = Restored & {
  target: Checkpoint;
  /** Files of the turn that somebody else has changed since, and that stay as they are. */
  kept: readonly string[];
};

/**
 * Takes a turn back, and the turns after it: the files that they changed become what they were before. Files that others
 * changed meanwhile stay as they are, unless they are named.
 */
export async function undoTurn(
  repository: PrivateRepository,
  options: UndoOptions,
): Promise<UndoneTurn> {
  const { target, paths, kept } = await targetOf(repository, options);
  const note = { sessionId: options.sessionId };
  return { ...(await restore(repository, { tree: target.tree, paths, note })), target, kept };
}

/** The changes that `undoTurn` would make. */
export async function previewUndo(
  repository: PrivateRepository,
  options: UndoOptions,
): Promise<Differences & Pick<UndoneTurn, 'kept'>> {
  const { target, paths, kept } = await targetOf(repository, options);
  return { ...(await previewRestore(repository, { tree: target.tree, paths })), kept };
}

type Target = { target: Checkpoint; paths: readonly string[]; kept: readonly string[] };

async function targetOf(
  repository: PrivateRepository,
  { sessionId, forks = [], taskId, paths }: UndoOptions,
): Promise<Target> {
  const all = await listCheckpoints(repository);
  const target = beginningOf(
    all.filter((each) => each.sessionId === sessionId),
    taskId,
  );
  if (paths) return { target, paths, kept: [] };
  const turns = all.filter((each) => [sessionId, ...forks].includes(each.sessionId ?? ''));
  const later = turns.filter(
    ({ kind, number }) => (kind === 'start' || kind === 'before') && number >= target.number,
  );
  const present = await takeSnapshot(repository);
  const changed = new Set<string>();
  const versions = new Versions();
  for (const before of later) {
    const after = turns.findLast((each) => each.kind === 'after' && each.taskId === before.taskId);
    versions.found(await contentsSince(repository, target.tree, before.tree));
    // A turn that was killed has no end; what is there now is what it left.
    const { tree } = after ?? present;
    versions.made(await contentsSince(repository, target.tree, tree));
    for (const path of (await contentsSince(repository, before.tree, tree)).keys()) {
      changed.add(path);
    }
  }
  versions.found(await contentsSince(repository, target.tree, present.tree));
  const kept = [...changed].filter((path) => versions.isForeign(path));
  return { target, paths: [...changed].filter((path) => !kept.includes(path)), kept };
}

/** The versions of files that turns have made, and those that were found beside them: somebody else made these. */
class Versions {
  #made = new Set<string>();
  #foreign = new Set<string>();

  made(contents: Contents): void {
    for (const entry of contents) this.#made.add(entry.join('\0'));
  }

  found(contents: Contents): void {
    for (const entry of contents) {
      if (!this.#made.has(entry.join('\0'))) this.#foreign.add(entry[0]);
    }
  }

  isForeign(path: string): boolean {
    return this.#foreign.has(path);
  }
}

/** Mode and id of each file that differs from a tree, by path. */
type Contents = ReadonlyMap<string, string>;

async function contentsSince(
  repository: PrivateRepository,
  from: string,
  to: string,
): Promise<Contents> {
  if (from === to) return new Map();
  const records = await repository.git.records(
    ['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to],
    repository.objects(),
  );
  const contents = new Map<string, string>();
  for (let n = 0; n + 1 < records.length; n += 2) {
    const [, mode = '', , id = ''] = (records[n] ?? '').split(' ');
    contents.set(records[n + 1] ?? '', `${mode} ${id}`);
  }
  return contents;
}
