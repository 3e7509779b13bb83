import { BatonError } from '@baton/protocol/values';
import { type Checkpoint, listCheckpoints } from '../snapshot/checkpoints.ts';
import { type DifferenceOptions, type Differences, differences } from '../snapshot/differences.ts';
import { resolvePointers } from '../snapshot/lfs-pointers.ts';
import type { PrivateRepository } from '../snapshot/private-repository.ts';
import { type Snapshot, type SnapshotGap, takeSnapshot } from '../snapshot/snapshot.ts';
import { splitAtNul } from '../snapshot/split-at-nul.ts';

export type Comparison = {
  /** One turn, everything since the session began, or everything since the base of the branch. */
  compare: 'turn' | 'session' | 'base';
  sessionId: string;
  /** The turn; the latest by default. */
  taskId?: string | undefined;
  /** The commit that the workspace started from. */
  baseCommit?: string | null | undefined;
};

/** Turns that are looked at for the cause of a change. */
const MAX_TURNS = 100;
/** Paths of a turn whose cause is told; a list of changes has fewer. */
const MAX_TURN_PATHS = 50_000;

export type SessionChanges = Differences & {
  /** The trees that were compared. */
  from: string;
  to: string;
  gaps: readonly SnapshotGap[];
};

type ChangeOptions = DifferenceOptions & {
  /** The present files, if they were looked at already. */
  now?: Snapshot | undefined;
  /** The checkpoints of the folder, if they were listed already. */
  known?: readonly Checkpoint[] | undefined;
};

/** Compares the files of a session with what they were: by the files themselves, never by events. */
export async function sessionChanges(
  repository: PrivateRepository,
  comparison: Comparison,
  options: ChangeOptions = {},
): Promise<SessionChanges> {
  const known = options.known ?? (await listCheckpoints(repository));
  const turns = known.filter(({ sessionId }) => sessionId === comparison.sessionId);
  const { from: then, to, gaps } = await treesOf(repository, turns, comparison, options);
  const from = await resolvePointers(repository, then, to);
  return { ...(await differences(repository, [from, to], options)), from, to, gaps };
}

/** The checkpoints of a session, oldest first. */
export async function checkpointsOf(
  repository: PrivateRepository,
  sessionId: string,
): Promise<Checkpoint[]> {
  return (await listCheckpoints(repository)).filter((each) => each.sessionId === sessionId);
}

/** The session that worked in a folder last; undefined if none has. */
export async function lastSessionIn(repository: PrivateRepository): Promise<string | undefined> {
  const all = await listCheckpoints(repository);
  return all.findLast(({ kind }) => kind === 'start' || kind === 'before')?.sessionId;
}

/** The checkpoint that a turn began with. */
export function beginningOf(turns: readonly Checkpoint[], taskId: string | undefined): Checkpoint {
  const starts = turns.filter(({ kind }) => kind === 'start' || kind === 'before');
  const found =
    taskId === undefined ? starts.at(-1) : starts.find((each) => each.taskId === taskId);
  if (found) return found;
  throw new BatonError('not_found', 'No checkpoint was kept at the start of this turn.', {
    hint: 'It may have expired, or the folder was too large; the notices of the turn say so.',
  });
}

async function treesOf(
  repository: PrivateRepository,
  turns: readonly Checkpoint[],
  { compare, taskId, baseCommit }: Comparison,
  { now: given, signal }: { now?: Snapshot | undefined; signal?: AbortSignal | undefined },
): Promise<{ from: string; to: string; gaps: readonly SnapshotGap[] }> {
  if (compare === 'turn') {
    const before = beginningOf(turns, taskId);
    const after = turns.findLast((each) => each.kind === 'after' && each.taskId === before.taskId);
    const to = after ?? given ?? (await takeSnapshot(repository, { signal }));
    return { from: before.tree, to: to.tree, gaps: to.gaps };
  }
  const first = turns[0];
  const base = compare === 'base' ? (baseCommit ?? first?.head) : undefined;
  // The folder may be one that must not be read.
  if (!first && !base) throw nothingKept();
  const now = given ?? (await takeSnapshot(repository, { signal }));
  if (base) {
    const from = await repository.git.text(
      ['rev-parse', '--verify', '--quiet', `${base}^{tree}`],
      repository.objects({ answers: [1, 128], isLight: true }),
    );
    if (from) return { from, to: now.tree, gaps: now.gaps };
  }
  if (first) return { from: first.tree, to: now.tree, gaps: now.gaps };
  throw nothingKept();
}

function nothingKept(): BatonError {
  return new BatonError('not_found', 'No checkpoint of this session was kept.', {
    hint: 'Checkpoints are made from its next turn on.',
  });
}

/** The tasks in whose turns each file changed, by path; files that only others changed are not in it. */
export async function turnsByPath(
  repository: PrivateRepository,
  sessionId: string,
  now: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const turns = await checkpointsOf(repository, sessionId);
  const starts = turns.filter(({ kind }) => kind === 'start' || kind === 'before');
  const found = new Map<string, string[]>();
  for (const { taskId, tree } of starts.slice(-MAX_TURNS)) {
    if (taskId === undefined) continue;
    const after = turns.findLast((each) => each.kind === 'after' && each.taskId === taskId);
    const to = after?.tree ?? now;
    if (to === tree) continue;
    let left = MAX_TURN_PATHS;
    const onOutput = splitAtNul((field) => {
      if (left-- <= 0) return;
      const path = field.toString('utf8');
      found.set(path, [...(found.get(path) ?? []), taskId]);
    });
    await repository.git.run(
      ['diff-tree', '-r', '-z', '--name-only', '--no-renames', tree, to],
      repository.objects({ onOutput }),
    );
  }
  return found;
}
