import { BatonError } from '@baton/protocol/values';
import type { WorkspaceSettings } from '../project/settings-schema.ts';
import type { UserWorkspaceSettings } from '../project/workspace-settings.ts';
import { LastLines } from '../scripts/last-lines.ts';
import { type RunScriptOptions, runScript } from '../scripts/run-script.ts';
import { scriptEnvironment } from '../scripts/script-environment.ts';
import { inspectWorktree } from '../worktree/inspect-worktree.ts';
import { isGone, refuseLosses, removeWorktree } from '../worktree/remove-worktree.ts';
import type { StoredWorkspace, WorkspaceTools } from '../worktree/workspace-files.ts';
import type { CleanPlan } from '../worktree/workspace-status.ts';
import { stopDevServer } from './dev-server-claim.ts';
import { isFolder, scriptSettings } from './workspace-scripts.ts';

type ScriptOptions = Pick<RunScriptOptions, 'confine' | 'signal'> & {
  /** Called with each line of the cleanup script. */
  onLine?: RunScriptOptions['onLine'] | undefined;
};

export type RemoveWorkspaceOptions = ScriptOptions & {
  home: WorkspaceTools;
  id: string;
  /** True to remove it although work would be lost or its cleanup script fails. */
  force?: boolean | undefined;
  deleteBranch?: boolean | undefined;
  /** Settings of the user; a confined process gets them from the one that started it. */
  user?: UserWorkspaceSettings | undefined;
};

export type RemovedWorktree = { record: StoredWorkspace; cleanup?: CleanupResult };

/** The result of a cleanup script. */
export type CleanupResult = {
  /** Null if it was stopped or killed. */
  exitCode: number | null;
  /** A sentence with the reason if it failed. */
  problem?: string | undefined;
  /** The last lines of its output. */
  output: readonly string[];
};

type CleanupOptions = ScriptOptions &
  Pick<RemoveWorkspaceOptions, 'user'> &
  Pick<WorkspaceTools, 'inherited'>;

const CLEANUP_TIMEOUT_SEC = 300;
/** Lines of output in an error. */
const ERROR_LINES = 10;

/**
 * Stops the dev server of a workspace, runs its cleanup script and removes it. Rejects with `conflict` before anything
 * runs if work would be lost, and with `cleanup_failed` if the script fails, unless forced.
 */
export async function removeWorkspace({
  home,
  id,
  force = false,
  deleteBranch,
  user,
  ...script
}: RemoveWorkspaceOptions): Promise<RemovedWorktree> {
  const { git, files, inherited } = home;
  const { signal } = script;
  const record = files.get(id);
  const remove = () => removeWorktree({ git, files, id, force, deleteBranch, signal });
  const isDone = record.state === 'removed' || isGone(record);
  if (record.kind !== 'worktree' || isDone) return { record: await remove() };
  const { losses } = await inspectWorktree({ git, files }, record, signal);
  refuseLosses(record, losses, force);
  await stopDevServer(home, id);
  const cleanup = await runCleanup(record, { ...script, user, inherited });
  if (cleanup?.problem && !force) throw cleanupFailed(record, cleanup);
  return { record: await remove(), ...(cleanup ? { cleanup } : {}) };
}

/** Runs the cleanup script, if there is one. A script that cannot be started has a problem too. */
async function runCleanup(
  record: StoredWorkspace,
  options: CleanupOptions,
): Promise<CleanupResult | undefined> {
  try {
    return await cleanUp(record, options);
  } catch (error) {
    if (!BatonError.is(error) || error.code === 'interrupted') throw error;
    return { exitCode: null, problem: error.message, output: [] };
  }
}

async function cleanUp(
  record: StoredWorkspace,
  { onLine, confine, signal, user, inherited }: CleanupOptions,
): Promise<CleanupResult | undefined> {
  const { settings } = await scriptSettings(record, user);
  const { cleanup: script, cleanupTimeoutSec = CLEANUP_TIMEOUT_SEC, env } = settings;
  if (script === undefined || !isFolder(record.path) || !isPrepared(record, settings))
    return undefined;
  const lines = new LastLines();
  const { exitCode, stopped } = await runScript({
    script,
    workspace: record,
    env: await scriptEnvironment(env, inherited),
    timeoutMs: cleanupTimeoutSec * 1000,
    confine,
    signal,
    onLine(line, stream) {
      lines.push(line);
      onLine?.(line, stream);
    },
  });
  if (stopped === 'aborted') {
    throw new BatonError('interrupted', `The cleanup was stopped. ${record.path} was not removed.`);
  }
  const output = lines.list();
  if (exitCode === 0) return { exitCode, output };
  const problem =
    stopped === 'timeout'
      ? `The cleanup was stopped after ${cleanupTimeoutSec} s.`
      : exitCode === null
        ? 'The cleanup was stopped.'
        : `The cleanup exited with ${exitCode}.`;
  return { exitCode, problem, output };
}

/**
 * True if the worktree was set up with these settings. In one that was made before its project was trusted, the variables
 * of a cleanup script would be empty, and `rm -rf /data/$PORT` would delete everything.
 */
function isPrepared(
  { setup: done, ports: given }: StoredWorkspace,
  { setup, ports = [] }: WorkspaceSettings,
): boolean {
  return (setup === undefined || done !== null) && ports.every((name) => given[name] !== undefined);
}

function cleanupFailed({ path }: StoredWorkspace, { problem, output }: CleanupResult): BatonError {
  const words = [`${problem} ${path} was not removed.`, ...output.slice(-ERROR_LINES)];
  return new BatonError('cleanup_failed', words.join('\n'));
}

export type Cleaned = {
  removed: readonly StoredWorkspace[];
  /** Workspaces whose cleanup script failed. */
  failed: readonly { record: StoredWorkspace; error: BatonError }[];
};

/** Removes the workspaces of a plan that still lose nothing. */
export async function clean(
  home: WorkspaceTools,
  plan: CleanPlan,
  options: ScriptOptions = {},
): Promise<Cleaned> {
  const removed: StoredWorkspace[] = [];
  const failed: { record: StoredWorkspace; error: BatonError }[] = [];
  for (const { record } of plan.remove) {
    try {
      const done = await removeWorkspace({ home, id: record.workspace_id, ...options });
      removed.push(done.record);
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      if (error.code === 'cleanup_failed') failed.push({ record, error });
      // Somebody worked in it since the plan was made.
      else if (error.code !== 'conflict') throw error;
    }
  }
  return { removed, failed };
}
