import { isHolder } from './kill.ts';
import { markerOf } from './spawn-request.ts';
import { sweep } from './sweep.ts';

/** A process that another program started as `AgentProcess` does, known by what was written down of it. */
export type RememberedProcess = {
  /** The process itself, where it is known for certain. */
  holder?: { pid: number; startTicks: number } | undefined;
  runId: string;
};

/** Kills such a process with all that it started; tells how many of them could not be killed. */
export async function endFamily({ holder = NOBODY, runId }: RememberedProcess): Promise<number> {
  const { remaining } = await sweep({ ...holder, marker: markerOf({ runId }) });
  return remaining.length;
}

/** Tells whether a pid still belongs to the process that started then; where that cannot be seen, it does. */
export function isSameProcess(pid: number, startTicks: number): boolean {
  return isHolder(pid, startTicks);
}

/** No process has this number: then only the marker tells who belongs to the family. */
const NOBODY = { pid: 0, startTicks: 0 };
