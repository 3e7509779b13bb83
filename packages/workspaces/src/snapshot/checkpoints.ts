import { BatonError, type CheckpointKind, type CheckpointRecord } from '@baton/protocol/values';
import { withDiskErrors } from '../git/disk-errors.ts';
import type { PrivateRepository } from './private-repository.ts';
import { protectObjects } from './protect-objects.ts';
import { type Snapshot, type SnapshotGap, type SnapshotOptions, takeSnapshot } from './snapshot.ts';

/** Facts about a checkpoint that its maker provides. */
export type CheckpointNote = {
  kind: CheckpointKind;
  sessionId?: string | undefined;
  taskId?: string | undefined;
  /** The beginning of the prompt of the turn. */
  prompt?: string | undefined;
  /** The user's commit and branch at that time. */
  head?: string | undefined;
  branch?: string | undefined;
};

/** The files of a folder at one time, kept until its retention ends. */
export type Checkpoint = CheckpointNote & {
  /** Commit object in Baton's repository of the folder. */
  id: string;
  /** 1, 2, 3 … within the folder. */
  number: number;
  tree: string;
  /** Milliseconds since 1970. */
  time: number;
  gaps: readonly SnapshotGap[];
};

const DIGITS = 8;
const MAX_TRIES = 20;

type CheckpointOptions = SnapshotOptions & {
  /** The present files, if they were looked at already. */
  snapshot?: Snapshot | undefined;
  /** The checkpoints of the folder, if they were listed before; others may have made more since. */
  known?: readonly Checkpoint[] | undefined;
};

/** Keeps the present files of a folder. */
export function createCheckpoint(
  repository: PrivateRepository,
  note: CheckpointNote,
  options: CheckpointOptions = {},
): Promise<Checkpoint> {
  return withDiskErrors(() => create(repository, note, options));
}

async function create(
  repository: PrivateRepository,
  note: CheckpointNote,
  options: CheckpointOptions,
): Promise<Checkpoint> {
  const [{ tree, gaps }, known] = await Promise.all([
    options.snapshot ?? takeSnapshot(repository, options),
    options.known ?? listCheckpoints(repository),
  ]);
  const time = Date.now();
  const { git } = repository;
  for (let attempt = 1; ; attempt++) {
    const last = (attempt === 1 ? known : await listCheckpoints(repository)).at(-1);
    await protectObjects(repository, tree, last?.tree);
    const number = (last?.number ?? 0) + 1;
    const text = JSON.stringify({ ...note, time, gaps });
    const parents = last ? ['-p', last.id] : [];
    const id = await git.text(
      ['commit-tree', tree, ...parents],
      repository.objects({ input: text, isLight: true }),
    );
    const zeros = '0'.repeat(id.length);
    const ref = refOf(repository, number);
    try {
      await git.run(['update-ref', ref, id, zeros], repository.objects({ isLight: true }));
      return { ...note, id, number, tree, time, gaps };
    } catch (error) {
      // Another process made one at the same time.
      if (attempt === MAX_TRIES) throw error;
    }
  }
}

/** The checkpoints of a folder, oldest first. */
export async function listCheckpoints(repository: PrivateRepository): Promise<Checkpoint[]> {
  const format = '%(refname)%00%(objectname)%00%(tree)%00%(contents:subject)%00';
  const text = await repository.git.text(
    ['for-each-ref', `--format=${format}`, `refs/checkpoints/${repository.id}/`],
    repository.objects({ isLight: true }),
  );
  const fields = text.split('\0');
  const found: Checkpoint[] = [];
  for (let n = 0; n + 3 < fields.length; n += 4) {
    const [ref = '', id = '', tree = '', words = ''] = fields.slice(n, n + 4);
    const number = Number(ref.trim().split('/').at(-1));
    found.push({
      ...(JSON.parse(words) as CheckpointNote & Pick<Checkpoint, 'time' | 'gaps'>),
      id,
      number,
      tree,
    });
  }
  return found.sort((a, b) => a.number - b.number);
}

/** Finds a checkpoint by its number or its id. */
export async function findCheckpoint(
  repository: PrivateRepository,
  name: string | number,
): Promise<Checkpoint> {
  const all = await listCheckpoints(repository);
  const found = all.find(({ id, number }) => number === Number(name) || id === name);
  if (found) return found;
  throw new BatonError('not_found', `Checkpoint "${name}" not found in ${repository.root}.`, {
    hint: 'It may have expired. "baton undo --list" shows those that are kept.',
  });
}

/** Deletes checkpoints; their files stay recoverable only as long as another one has them. */
export async function deleteCheckpoints(
  repository: PrivateRepository,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  const input = checkpoints.map(({ number, id }) => `delete ${refOf(repository, number)} ${id}\n`);
  if (input.length === 0) return;
  await repository.git.run(
    ['update-ref', '--stdin'],
    repository.objects({ input: input.join('') }),
  );
}

function refOf({ id }: PrivateRepository, number: number): string {
  return `refs/checkpoints/${id}/${String(number).padStart(DIGITS, '0')}`;
}

/** A checkpoint as events and services show it. */
export function checkpointRecord(checkpoint: Checkpoint): CheckpointRecord {
  const { number, id, tree, kind, sessionId, taskId, prompt, head, branch, time, gaps } =
    checkpoint;
  return {
    number,
    id,
    tree,
    kind,
    session_id: sessionId ?? null,
    task_id: taskId ?? null,
    prompt: prompt ?? null,
    head: head ?? null,
    branch: branch ?? null,
    created_at: new Date(time).toISOString(),
    gaps: gaps.map((gap) => ({ ...gap, paths: [...gap.paths] })),
  };
}
