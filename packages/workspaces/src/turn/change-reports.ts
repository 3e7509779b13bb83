import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BatonError } from '@baton/protocol/values';
import type { ChangeReport } from '@baton/protocol/wire';
import { patchOf } from '../snapshot/differences.ts';
import type { PrivateRepository } from '../snapshot/private-repository.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { type Comparison, sessionChanges, turnsByPath } from './session-changes.ts';

const compress = promisify(gzip);

const COMPARISONS = ['turn', 'session', 'base'] as const;
/** The limits of the daemon, which rejects larger reports. */
const [MAX_FILES, MAX_PATCH_BYTES] = [2000, 2 * 1024 * 1024];

type ChangeReportQuery = Omit<Comparison, 'compare'> & { now: Snapshot };

/** Collects everything that shows the change of a session where its files cannot be read. */
export async function changeReports(
  repository: PrivateRepository,
  { now, ...comparison }: ChangeReportQuery,
): Promise<ChangeReport[]> {
  const turns = await turnsByPath(repository, comparison.sessionId, now.tree);
  /** The comparisons of a first turn are often the same. */
  const patches = new Map<string, Promise<string | null>>();
  const patchFor = (from: string, to: string) => {
    const known = patches.get(`${from} ${to}`) ?? packedPatch(repository, [from, to]);
    patches.set(`${from} ${to}`, known);
    return known;
  };
  const reports: ChangeReport[] = [];
  for (const compare of COMPARISONS) {
    const found = await sessionChanges(
      repository,
      { compare, ...comparison },
      { now, maxFiles: MAX_FILES },
    );
    const { from, to, files, total, additions, deletions, gaps } = found;
    reports.push({
      ...{ compare, from, to, total, additions, deletions },
      root: repository.root,
      files: [...files],
      gaps: gaps.map((gap) => ({ ...gap, paths: [...gap.paths] })),
      turns: files.flatMap(({ path }) => {
        const tasks = turns.get(path);
        return tasks ? [{ path, tasks: [...tasks] }] : [];
      }),
      patch: await patchFor(from, to),
    });
  }
  return reports;
}

async function packedPatch(
  repository: PrivateRepository,
  trees: readonly [string, string],
): Promise<string | null> {
  try {
    const patch = await patchOf(repository, trees, { maxBytes: MAX_PATCH_BYTES });
    return (await compress(patch)).toString('base64');
  } catch (error) {
    if (BatonError.is(error) && error.code === 'too_large') return null;
    throw error;
  }
}
