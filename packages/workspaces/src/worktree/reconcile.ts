import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isInside } from '@baton/config/paths/is-inside';
import { BatonError } from '@baton/protocol/values';
import { keyOf } from '../snapshot/private-repository.ts';
import { discard } from './create-worktree.ts';
import { followRepository } from './follow-repository.ts';
import { settleMerge } from './merge-record.ts';
import { finishRemoval, RESTORE_MS } from './remove-worktree.ts';
import { HEADS, linkedWorktrees, UserRepository } from './user-repository.ts';
import type { StoredWorkspace, WorkspaceTools } from './workspace-files.ts';
import { isOwnerAlive } from './workspace-owner.ts';
import { settleUse } from './workspace-use.ts';

/** Workspace whose record did not fit the disk, with the action that was taken. */
export type Reconciled = {
  workspace_id: string;
  path: string;
  action:
    | 'creation_undone'
    | 'creation_failed'
    | 'removal_finished'
    | 'merge_found'
    | 'folder_missing'
    | 'repository_missing'
    | 'recovered'
    | 'use_ended';
  problem?: string | undefined;
};

/** A process that a killed program left behind ends soon: it only writes files. */
const WAIT_MS = 30_000;
const POLL_MS = 50;
/** End of the problem of a workspace that is complete once its folder or repository is back. */
const MISSING = 'was moved or deleted.';

/** Ends what crashed programs began, and finds worktrees and repositories that were deleted or moved by hand. */
export async function reconcile(tools: WorkspaceTools): Promise<Reconciled[]> {
  const done: Reconciled[] = [];
  for (const record of tools.files.list()) {
    const action = await reconcileOne(tools, record).catch((error) =>
      fail(tools, record, error instanceof Error ? error.message : String(error)),
    );
    if (!action) continue;
    const { workspace_id, path } = record;
    done.push({ workspace_id, path, ...action });
  }
  return done;
}

/** Ends what a crashed program began with one workspace; returns its record, or undefined if there is none. */
export async function settledWorkspace(
  tools: WorkspaceTools,
  id: string,
): Promise<StoredWorkspace | undefined> {
  const find = () => tools.files.list().find(({ workspace_id }) => workspace_id === id);
  const record = find();
  if (!record?.pending && !record?.merging) return record;
  await reconcileOne(tools, record);
  return find();
}

type Action = Omit<Reconciled, 'workspace_id' | 'path'>;

async function reconcileOne(
  tools: WorkspaceTools,
  record: StoredWorkspace,
): Promise<Action | undefined> {
  const { git, files } = tools;
  if (record.kind !== 'worktree') return undefined;
  if (record.pending && isOwnerAlive(record)) return undefined;
  if (record.pending) await processesEnded(record.path);
  if (record.pending === 'remove' || record.pending === 'restore') {
    await finishRemoval(tools, record);
    return { action: 'removal_finished' };
  }
  if (record.state === 'removed') return undefined;
  if (!existsSync(record.repository ?? '')) {
    const followed = await followRepository(tools, record);
    if (followed) return recover(tools, followed) ?? { action: 'recovered' };
    return fail(tools, record, `The repository ${record.repository} ${MISSING}`);
  }
  const repository = UserRepository.find(git, record.repository ?? '');
  if (record.merging && !isOwnerAlive(record)) {
    await processesEnded(record.path);
    if (await settleMerge(tools, record, repository)) return { action: 'merge_found' };
  }
  if (record.pending === 'create') return undoCreation(tools, record, repository);
  if (existsSync(record.path)) return endUse(tools, record) ?? recover(tools, record);
  return folderMissing({ git, files }, record, repository);
}

/** Removes a half-made worktree; keeps one whose branch already has commits. */
async function undoCreation(
  { files }: WorkspaceTools,
  record: StoredWorkspace,
  repository: UserRepository,
): Promise<Action> {
  const tip = record.branch ? await repository.commitOf(`${HEADS}${record.branch}`) : undefined;
  if (tip && tip !== record.base_commit) {
    const problem = `Its creation was interrupted, and the branch ${record.branch} has commits.`;
    files.put({ ...record, state: 'failed', problem, owner: undefined, pending: undefined });
    return { action: 'creation_failed', problem };
  }
  await discard(repository, files, record);
  return { action: 'creation_undone' };
}

/** Ends the use of a workspace whose program was killed. */
function endUse({ files }: WorkspaceTools, { workspace_id: id }: StoredWorkspace) {
  const settled = settleUse(files, id);
  if (!settled) return undefined;
  return { action: 'use_ended' as const, problem: settled.problem ?? undefined };
}

/** Takes back that the folder or the repository of a workspace is missing. */
function recover({ files }: WorkspaceTools, record: StoredWorkspace): Action | undefined {
  if (record.state !== 'failed' || !record.problem?.endsWith(MISSING)) return undefined;
  files.put({ ...record, state: 'idle', problem: null });
  return { action: 'recovered' };
}

/** Makes a workspace without its folder a removed one, which can be restored from its last checkpoint. */
async function folderMissing(
  { git, files }: WorkspaceTools,
  record: StoredWorkspace,
  repository: UserRepository,
): Promise<Action> {
  const problem = `The folder ${record.path} ${MISSING}`;
  const moved = linkedWorktrees(repository.place.commonDir).find(
    ({ path, gitDir }) =>
      path !== record.path && headOf(gitDir) === `ref: ${HEADS}${record.branch}`,
  );
  if (moved) {
    const known = `${problem} Its branch is checked out in ${moved.path}.`;
    files.put({ ...record, state: 'failed', problem: known });
    return { action: 'folder_missing', problem: known };
  }
  const last = await lastCheckpoint({ git, files }, record, repository);
  const tip = record.branch ? await repository.commitOf(`${HEADS}${record.branch}`) : undefined;
  if (last === undefined || (!tip && !record.base_commit)) {
    files.put({ ...record, state: 'failed', problem });
    return { action: 'folder_missing', problem };
  }
  const now = Date.now();
  const removed = {
    at: new Date(now).toISOString(),
    expires_at: new Date(now + RESTORE_MS).toISOString(),
    checkpoint: last,
    commit: null,
    head: tip ?? record.base_commit,
  };
  // The metadata of the worktree goes; its branch stays.
  await finishRemoval(
    { git, files },
    { ...record, state: 'removed', removed, problem, pending: 'remove' },
  );
  return { action: 'folder_missing', problem };
}

/** Number of the last checkpoint of a folder that is gone. */
async function lastCheckpoint(
  { git, files }: WorkspaceTools,
  { path }: StoredWorkspace,
  { place }: UserRepository,
): Promise<number | undefined> {
  const common = join(files.stateFolder, 'repositories', keyOf(place.commonDir));
  if (!existsSync(common)) return undefined;
  const refs = await git.text(
    ['for-each-ref', '--format=%(refname)', `refs/checkpoints/${keyOf(path)}/`],
    { cwd: common, gitDir: common },
  );
  const last = refs.split('\n').at(-1);
  return last ? Number(last.split('/').at(-1)) : undefined;
}

function headOf(gitDir: string): string | undefined {
  try {
    return readFileSync(`${gitDir}/HEAD`, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}

function fail({ files }: WorkspaceTools, record: StoredWorkspace, problem: string): Action {
  const action = existsSync(record.repository ?? '') ? 'creation_failed' : 'repository_missing';
  if (record.state === 'failed' && record.problem === problem) return { action, problem };
  files.put({ ...record, state: 'failed', problem });
  return { action, problem };
}

/** Waits for processes of git that a killed program left: they still write into the folder or to its metadata. */
export async function processesEnded(path: string): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (hasProcesses(path)) {
    if (performance.now() > deadline) {
      throw new BatonError('conflict', `Processes still work in ${path}.`);
    }
    await pause(POLL_MS);
  }
}

function hasProcesses(path: string): boolean {
  if (!existsSync('/proc/self/cmdline')) return false;
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (!words[0]?.endsWith('git')) return false;
      return (
        words.includes(path) || isInside(path, readlinkSync(`/proc/${pid}/cwd`), { orEqual: true })
      );
    } catch {
      return false;
    }
  });
}
