import { isAlive, startTicksOf } from '@baton/process';

/** Process that makes, sets up or removes a worktree; once it is gone, somebody else finishes its work. */
export type WorkspaceOwner = { pid: number; start_ticks: number | null };

/** This process as others see it; undefined if they see it as it does itself. */
let outside: WorkspaceOwner | undefined;
/** True in a sandbox, from which the processes of others cannot be seen. */
let isBlind = false;

/** Identifies a process to others. */
export function ownerOf(pid: number): WorkspaceOwner {
  return { pid, start_ticks: startTicksOf(pid) ?? null };
}

/** This process, as the owner of an operation. */
export function thisProcess(): WorkspaceOwner {
  return outside ?? ownerOf(process.pid);
}

/**
 * Sets how others see this process. Called once by a helper, whose sandbox may number processes on its own: nobody outside
 * would find it by its own number, and it sees nobody outside.
 */
export function identifyAs(self: WorkspaceOwner): void {
  outside = self;
  isBlind = !isRunning(self);
}

/** True if the process that began an operation still runs, or if this process cannot know. */
export function isOwnerAlive({ owner }: { owner?: WorkspaceOwner | undefined }): boolean {
  return owner !== undefined && (isBlind || isRunning(owner));
}

function isRunning({ pid, start_ticks }: WorkspaceOwner): boolean {
  return isAlive({ pid, startTicks: start_ticks ?? 0 });
}
