import { readProcess } from './proc-fs.ts';
import { canVerify, type ProcessInfo, processTree } from './process-table.ts';

/**
 * Sends SIGKILL to processes and to the groups they lead or whose leader is gone, unless their pids
 * have passed to others.
 */
export function killProcesses(targets: readonly ProcessInfo[]): void {
  const present = targets.filter((target) => isHolder(target.pid, target.startTicks));
  if (present.length === 0) return;
  const doomed = new Set(present.map((target) => target.pid));
  const ownGroup = groupOfThisProcess();
  for (const group of new Set(present.map((target) => target.pgid))) {
    const isForeign = group <= 1 || group === ownGroup || (!doomed.has(group) && exists(group));
    if (!isForeign) send(-group, 'SIGKILL');
  }
  for (const pid of doomed) send(pid, 'SIGKILL');
}

/** True if a pid still belongs to the process that started then, or if the system does not show it. */
export function isHolder(pid: number, startTicks: number | undefined): boolean {
  if (!canVerify || startTicks === undefined) return true;
  return readProcess(pid)?.startTicks === startTicks;
}

function exists(pid: number): boolean {
  return send(pid, 0);
}

/** A process that cannot be reached is gone or another user's: the next snapshot of the process table shows which. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function groupOfThisProcess(): number | undefined {
  if (canVerify) return readProcess(process.pid)?.pgid;
  return processTree().find((info) => info.pid === process.pid)?.pgid;
}
