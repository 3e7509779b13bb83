import { setTimeout as pause } from 'node:timers/promises';
import { readProcess } from './proc-fs.ts';
import { markerOf } from './spawn-request.ts';
import { sweep } from './sweep.ts';
import { canVerify, processTree } from './tree.ts';

/** A process that another program started as `AgentProcess` does, known by what was written down of it. */
export type RememberedProcess = { pid: number; startTicks: number; runId: string };

export type EndOptions = {
  /** Asks it to end by itself. */
  signal?: NodeJS.Signals;
  /** So long it may take to end by itself. */
  waitMs?: number;
};

const POLL_MS = 25;

/** Whether such a process still runs. */
export function isAlive({ pid, startTicks }: Omit<RememberedProcess, 'runId'>): boolean {
  if (!canVerify) return processTree().some((info) => info.pid === pid);
  const info = readProcess(pid);
  return info?.startTicks === startTicks && info.state !== 'Z';
}

/** Ends such a process with all that it started; tells how many of them could not be killed. */
export async function endFamily(
  family: RememberedProcess,
  { signal, waitMs = 0 }: EndOptions = {},
): Promise<number> {
  if (signal && isAlive(family)) process.kill(family.pid, signal);
  const patience = performance.now() + waitMs;
  // The end of a process that is not our child comes without an event.
  while (performance.now() < patience && isAlive(family)) await pause(POLL_MS);
  const { pid, startTicks, runId } = family;
  const { remaining } = await sweep({ pid, startTicks, marker: markerOf({ runId }) });
  return remaining.length;
}
