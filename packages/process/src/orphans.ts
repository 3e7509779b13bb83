import { killTree } from './kill-tree.ts';
import { pidNamespace, userDigest } from './owner-mark.ts';
import { environmentOf, readProcess, readProcessTable } from './proc-fs.ts';
import { canVerify, KERNEL_THREADS, type ProcessInfo } from './process-table.ts';
import { markerOf, OWNER_PREFIX } from './spawn-request.ts';

/** Processes of a run whose Baton was killed before it could end them. */
export type OrphanedRun = { runId: string; processes: ProcessInfo[] };

const OWNED = new RegExp(
  `(?:^|\\0)${OWNER_PREFIX}(\\w+)=(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\w+)(?=\\0|$)`,
  'g',
);

/** Finds everything that belongs to runs of this user whose owner is dead; works only on Linux. */
export function findOrphans(): OrphanedRun[] {
  const namespace = canVerify ? pidNamespace() : undefined;
  if (namespace === undefined) return [];
  const user = userDigest();
  const own = new Set(ownersIn(process.pid).map(({ runId }) => runId));
  const found = new Map<string, ProcessInfo[]>();
  for (const info of readProcessTable()) {
    if (info.pid === process.pid || info.ppid === KERNEL_THREADS || info.state === 'Z') continue;
    for (const owner of ownersIn(info.pid)) {
      // A program that such a run started must not kill its own process tree.
      if (
        own.has(owner.runId) ||
        owner.namespace !== namespace ||
        owner.user !== user ||
        isOwnerAlive(owner)
      )
        continue;
      found.set(owner.runId, [...(found.get(owner.runId) ?? []), info]);
    }
  }
  return [...found].map(([runId, processes]) => ({ runId, processes }));
}

/** Ends what `findOrphans` finds; returns the number of runs and of killed processes. */
export async function sweepOrphans(): Promise<{ runs: number; killed: number }> {
  const orphans = findOrphans();
  let killed = 0;
  for (const { runId, processes } of orphans) {
    const [oldest] = processes.toSorted((one, other) => one.startTicks - other.startTicks);
    if (!oldest) continue;
    const { pid, startTicks } = oldest;
    const agent = { pid, startTicks, marker: markerOf({ runId }) };
    killed += (await killTree(agent, { earlier: processes })).killed;
  }
  return { runs: orphans.length, killed };
}

let isLeftToOthers = false;

/** Keeps this program from looking for orphans: the one that started it does. */
export function leaveOrphans(): void {
  isLeftToOthers = true;
}

/** The same as `sweepOrphans`, but only once in the life of this program. */
export async function sweepOrphansOnce(): Promise<{ runs: number; killed: number }> {
  if (isLeftToOthers) return { runs: 0, killed: 0 };
  isLeftToOthers = true;
  return sweepOrphans();
}

type Owner = { runId: string; pid: number; startTicks: number; namespace: string; user: string };

function ownersIn(pid: number): Owner[] {
  const environment = environmentOf(pid);
  if (!environment.includes(OWNER_PREFIX)) return [];
  return [...environment.matchAll(OWNED)].map(
    ([, runId = '', owner, ticks, namespace = '', user = '']) => ({
      runId,
      pid: Number(owner),
      startTicks: Number(ticks),
      namespace,
      user,
    }),
  );
}

function isOwnerAlive({ pid, startTicks }: Owner): boolean {
  const owner = readProcess(pid);
  return owner !== undefined && owner.startTicks === startTicks && owner.state !== 'Z';
}
