import { markerOf } from './spawn-request.ts';
import { sweep } from './sweep.ts';

/** A process that another program started as `AgentProcess` does, known by what was written down of it. */
export type RememberedProcess = { pid: number; startTicks: number; runId: string };

/** Kills such a process with all that it started; tells how many of them could not be killed. */
export async function endFamily({ pid, startTicks, runId }: RememberedProcess): Promise<number> {
  const { remaining } = await sweep({ pid, startTicks, marker: markerOf({ runId }) });
  return remaining.length;
}
