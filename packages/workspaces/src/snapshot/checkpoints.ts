import { BatonError, type CheckpointKind, type CheckpointRecord } from '@baton/protocol/values';
import { withDiskErrors } from '../git/disk-errors.ts';
import { isLoose, newestCommit, refOf, writeCheckpoint } from './checkpoint-files.ts';
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
  for (let attempt = 1; ; attempt++) {
    const last = (attempt === 1 ? known : await listCheckpoints(repository)).at(-1);
    await protectObjects(repository, tree, last?.tree);
    const number = (last?.number ?? 0) + 1;
    const message = JSON.stringify({ ...note, time, gaps });
    const commit = { number, tree, parent: last?.id, message };
    const canWrite = tree === last?.tree || isLoose(repository, tree);
    const written = canWrite ? writeCheckpoint(repository, commit) : 'unknown';
    const id = written === 'unknown' ? await commitWithGit(repository, commit) : written;
    if (id !== 'taken') return { ...note, id, number, tree, time, gaps };
    if (attempt === MAX_TRIES) {
      throw new BatonError('git_failed', 'Other processes make checkpoints of this folder.');
    }
  }
}

/** Has git make a checkpoint, which fails if its tree is gone; `taken` if there is one of this number. */
async function commitWithGit(
  repository: PrivateRepository,
  { number, tree, parent, message }: Parameters<typeof writeCheckpoint>[1],
): Promise<string | 'taken'> {
  const { git } = repository;
  const parents = parent === undefined ? [] : ['-p', parent];
  const id = await git.text(
    ['commit-tree', tree, ...parents],
    repository.objects({ input: message, isLight: true }),
  );
  const ref = refOf(repository, number);
  const call = repository.objects({ isLight: true });
  try {
    await git.run(['update-ref', ref, id, '0'.repeat(id.length)], call);
    return id;
  } catch (error) {
    const found = await git.text(['for-each-ref', '--format=%(objectname)', ref], call);
    if (found === '') throw error;
    return 'taken';
  }
}

/** The newest checkpoint of a folder. */
export async function newestCheckpoint(
  repository: PrivateRepository,
): Promise<Checkpoint | undefined> {
  const commit = newestCommit(repository);
  if (commit === 'unknown') return (await listCheckpoints(repository)).at(-1);
  if (commit === undefined) return undefined;
  const { message, ...facts } = commit;
  return { ...notesIn(message), ...facts };
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
    found.push({ ...notesIn(words), id, number, tree });
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

function notesIn(message: string): CheckpointNote & Pick<Checkpoint, 'time' | 'gaps'> {
  return JSON.parse(message);
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
