import { setTimeout as pause } from 'node:timers/promises';
import { killTree } from './kill-tree.ts';
import { readProcess } from './proc-fs.ts';
import { canVerify, processTree } from './process-table.ts';
import { markerOf } from './spawn-request.ts';

/** A process that another program started with `AgentProcess`, as that program recorded it. */
export type RememberedProcess = { pid: number; startTicks: number; runId: string };

type EndOptions = {
  /** Sent first, so the process can exit on its own. */
  signal?: NodeJS.Signals;
  /** Milliseconds to wait for that. */
  waitMs?: number;
};

const POLL_MS = 25;

/** True if the process still runs. */
export function isAlive({ pid, startTicks }: Omit<RememberedProcess, 'runId'>): boolean {
  if (!canVerify) return processTree().some((info) => info.pid === pid);
  const info = readProcess(pid);
  return info?.startTicks === startTicks && info.state !== 'Z';
}

/**
 * Returns the start time of a process, which tells it from a later one with its pid; undefined if the system does not
 * report it.
 */
export function startTicksOf(pid: number): number | undefined {
  return canVerify ? readProcess(pid)?.startTicks : undefined;
}

/** Ends a process and its descendants; returns how many could not be killed. */
export async function endProcessTree(
  root: RememberedProcess,
  { signal, waitMs = 0 }: EndOptions = {},
): Promise<number> {
  if (signal && isAlive(root)) process.kill(root.pid, signal);
  const deadline = performance.now() + waitMs;
  // Only our own children report their exit with an event.
  while (performance.now() < deadline && isAlive(root)) await pause(POLL_MS);
  const { pid, startTicks, runId } = root;
  const { remaining } = await killTree({ pid, startTicks, marker: markerOf({ runId }) });
  return remaining.length;
}
