import type { WorkspaceState } from '@baton/protocol';
import type { WorkspaceStatus } from '@baton/protocol/wire';
import { differences } from '../snapshot/differences.ts';
import { resolvePointers } from '../snapshot/lfs-pointers.ts';
import { diskUse } from './disk-use.ts';
import { compareWithBase, inspectWorktree, type Loss } from './inspect-worktree.ts';
import type { StoredWorkspace, WorkspaceTools } from './workspace-files.ts';
import { withoutDeadUse } from './workspace-use.ts';

/** A workspace as it is now. */
export type WorkspaceReport = {
  /** The record with the state that its files show. */
  record: StoredWorkspace;
  /** Branch of HEAD; null if it is detached. */
  branch: string | null;
  ahead: number | null;
  behind: number | null;
  /** Changed files and lines against the base, uncommitted ones included. */
  files: number;
  additions: number;
  deletions: number;
  /** Size on the disk; null if it could not be counted in time. */
  bytes: number | null;
  losses: readonly Loss[];
  /** Milliseconds since it was used. */
  idleMs: number;
};

/** A workspace that could not be read, with the reason. */
export type UnreadWorkspace = { record: StoredWorkspace; problem: string };

export type StatusOptions = { signal?: AbortSignal | undefined; now?: number | undefined };

/** Reads the status of one worktree. */
export async function workspaceStatus(
  tools: WorkspaceTools,
  stored: StoredWorkspace,
  { signal, now = Date.now() }: StatusOptions = {},
): Promise<WorkspaceReport> {
  const record = withoutDeadUse(tools.files, stored);
  const [found, bytes] = await Promise.all([
    inspectWorktree(tools, record, signal),
    diskUse(record.path, { signal }),
  ]);
  const { base, ahead, behind } = await compareWithBase(found, record);
  const { own, snapshot } = found;
  const from = base && (await resolvePointers(own, `${base}^{tree}`, snapshot.tree));
  const change = from
    ? await differences(own, [from, snapshot.tree], { maxFiles: 0, signal })
    : { total: 0, additions: 0, deletions: 0 };
  const hasOwn = found.head !== undefined && found.head !== record.base_commit;
  const isInTarget = record.merged?.head === found.head && found.ownCommits === 0;
  const isMerged = (ahead === 0 || isInTarget) && hasOwn && found.changes.total === 0;
  return {
    record: { ...record, state: stateOf(record, { isMerged, losses: found.losses }) },
    branch: found.branch ?? null,
    ahead,
    behind,
    files: change.total,
    additions: change.additions,
    deletions: change.deletions,
    bytes,
    losses: found.losses,
    idleMs: now - Date.parse(record.used_at),
  };
}

/** Status of one worktree as services show it. */
export async function worktreeStatus(
  tools: WorkspaceTools,
  record: StoredWorkspace,
  options: StatusOptions = {},
): Promise<WorkspaceStatus> {
  const report = await workspaceStatus(tools, record, options);
  const { ahead, behind, files, additions, deletions, bytes, losses } = report;
  const unsaved = losses.map(({ text }) => text);
  return { ahead, behind, files, additions, deletions, bytes, unsaved };
}

/** Only states of a workspace that nobody uses are computed. */
const COMPUTED: readonly WorkspaceState[] = ['idle', 'merged', 'removable'];

function stateOf(
  { state }: StoredWorkspace,
  { isMerged, losses }: { isMerged: boolean; losses: readonly Loss[] },
): WorkspaceState {
  if (!COMPUTED.includes(state)) return state;
  if (isMerged) return 'merged';
  return losses.length === 0 ? 'removable' : 'idle';
}

/** Workspaces at the same time; each of them starts several processes. */
const AT_ONCE = 4;

/** Status of all worktrees of this machine, oldest first; removed ones are left out. */
export async function listWorkspaces(
  tools: WorkspaceTools,
  options: StatusOptions = {},
): Promise<(WorkspaceReport | UnreadWorkspace)[]> {
  const records = tools.files
    .list()
    .filter(({ kind, state }) => kind === 'worktree' && state !== 'removed');
  const found: (WorkspaceReport | UnreadWorkspace)[] = [];
  const waiting = [...records.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [n, record] = next;
      found[n] = await workspaceStatus(tools, record, options).catch((error: unknown) => {
        const problem = error instanceof Error ? error.message : String(error);
        return { record, problem: record.problem ?? problem };
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

/** True for a workspace whose status could be read. */
export function isReport(found: WorkspaceReport | UnreadWorkspace): found is WorkspaceReport {
  return 'losses' in found;
}

const DAY_MS = 86_400_000;

/** Workspaces that nobody used for some days, and no session uses now. */
export async function staleWorkspaces(
  tools: WorkspaceTools,
  days: number,
  options: StatusOptions = {},
): Promise<WorkspaceReport[]> {
  const all = (await listWorkspaces(tools, options)).filter(isReport);
  return all.filter(({ idleMs, losses }) => {
    const isBusy = losses.some(({ kind }) => kind === 'session');
    return idleMs >= days * DAY_MS && !isBusy;
  });
}

export type CleanPlan = {
  /** Workspaces that can go without a loss. */
  remove: readonly WorkspaceReport[];
  /** Workspaces that stay, because work would be lost. */
  keep: readonly WorkspaceReport[];
  /** Disk space that is freed, of those workspaces whose size is known. */
  bytes: number;
};

/** Says what `clean` would remove; changes nothing. */
export async function cleanPlan(
  tools: WorkspaceTools,
  { days = 0, ...options }: StatusOptions & { days?: number | undefined } = {},
): Promise<CleanPlan> {
  const stale = await staleWorkspaces(tools, days, options);
  // A worktree of the user goes only by name.
  const canGo = ({ losses, record }: WorkspaceReport) => losses.length === 0 && !record.adopted;
  const remove = stale.filter(canGo);
  const bytes = remove.reduce((sum, each) => sum + (each.bytes ?? 0), 0);
  return { remove, keep: stale.filter((each) => !canGo(each)), bytes };
}
