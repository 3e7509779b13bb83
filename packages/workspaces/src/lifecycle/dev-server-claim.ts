import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '@baton/config/paths/atomic-file';
import { endProcessTree, type RememberedProcess } from '@baton/process';
import { BatonError } from '@baton/protocol/values';
import type { WorkspaceTools } from '../worktree/workspace-files.ts';
import { isOwnerAlive, thisProcess, type WorkspaceOwner } from '../worktree/workspace-owner.ts';

/** The dev server of a workspace, as the program that runs it records it for all others. */
export type DevServerClaim = {
  /** The program that runs it: a command or a daemon. */
  owner: WorkspaceOwner;
  /** Undefined until its process has started. */
  process?: RememberedProcess | undefined;
  started_at: string;
};

/** Time that a dev server has to end on its own. */
const GRACE_MS = 2000;

type Home = Pick<WorkspaceTools, 'files'>;

/**
 * Claims the only dev server of a workspace for this program. Rejects with `conflict` if another program runs one; ends
 * what is left of one whose program was killed.
 */
export async function claimDevServer(
  home: Home,
  id: string,
  signal?: AbortSignal,
): Promise<{ started(process: RememberedProcess): void; drop(): void }> {
  const unlock = await home.files.lockNames(signal);
  const claim: DevServerClaim = { owner: thisProcess(), started_at: new Date().toISOString() };
  try {
    const found = readClaim(home, id);
    if (found && isOwnerAlive(found)) throw alreadyRuns(found);
    if (found?.process) await endProcessTree(found.process);
    write(home, id, claim);
  } finally {
    unlock();
  }
  return {
    started: (process) => write(home, id, { ...claim, process }),
    drop: () => rmSync(pathOf(home, id), { force: true }),
  };
}

/** The dev server of a workspace that a live program runs; undefined if there is none. */
export function runningDevServer(home: Home, id: string): DevServerClaim | undefined {
  const found = readClaim(home, id);
  return found && isOwnerAlive(found) ? found : undefined;
}

/** Ends the dev server of a workspace, whichever program runs it; returns false if there was none. */
export async function stopDevServer(home: Home, id: string): Promise<boolean> {
  const found = readClaim(home, id);
  if (!found) return false;
  const isRunning = isOwnerAlive(found);
  if (found.process) {
    const remaining = await endProcessTree(found.process, { signal: 'SIGTERM', waitMs: GRACE_MS });
    if (remaining > 0) {
      throw new BatonError('conflict', 'The dev server of the workspace could not be ended.', {
        hint: `Kill process ${found.process.pid}, and try again.`,
      });
    }
  }
  // The program that runs it drops its claim when it sees the end.
  if (!isRunning) rmSync(pathOf(home, id), { force: true });
  return isRunning;
}

function alreadyRuns({ owner, process }: DevServerClaim): BatonError {
  const words = process ? `process ${process.pid}, ` : '';
  return new BatonError(
    'conflict',
    `The dev server of this workspace already runs (${words}started by process ${owner.pid}).`,
    { hint: 'Stop it with "baton workspaces dev NAME --stop", or on the page.' },
  );
}

function readClaim(home: Home, id: string): DevServerClaim | undefined {
  try {
    const found = JSON.parse(readFileSync(pathOf(home, id), 'utf8')) as Partial<DevServerClaim>;
    const { owner, process, started_at = '' } = found;
    return owner && { owner, process, started_at };
  } catch {
    return undefined;
  }
}

function write(home: Home, id: string, claim: DevServerClaim): void {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  writeFileAtomically(pathOf(home, id), `${JSON.stringify(claim)}\n`);
}

function folderOf({ files }: Home): string {
  return join(files.stateFolder, 'dev-servers');
}

function pathOf(home: Home, id: string): string {
  return join(folderOf(home), `${id}.json`);
}
