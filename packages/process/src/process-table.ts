import { existsSync } from 'node:fs';
import { type AgentIdentity, agentProcesses } from './agent-processes.ts';
import { readProcessTable, startedWithVariable, ticksAt } from './proc-fs.ts';
import { readPs } from './ps.ts';

/** One process of this machine. */
export type ProcessInfo = {
  pid: number;
  ppid: number;
  pgid: number;
  /** Session; 0 where the system does not tell. */
  sid: number;
  /** Start time, in units that only serve to tell two holders of one pid apart. */
  startTicks: number;
  /** The letter that the system gives its state: R, S, D, T, Z … */
  state: string;
};

/** True if this system shows the environment of processes, so that "nothing is left" can be proved. */
export const canVerify: boolean = process.platform === 'linux' && existsSync('/proc/self/environ');

/** Returns a snapshot of all processes of this machine. */
export function processTree(): ProcessInfo[] {
  return canVerify ? readProcessTable() : readPs();
}

/** The `startTicks` of a process that starts at a time of the clock. */
export function startTicksAt(time: number): number {
  return canVerify ? ticksAt(time) : Math.floor(time / 1000);
}

type SurvivorOptions = {
  includeAgent?: boolean;
  /** Processes that count as the agent's own even after all traces are gone. */
  known?: Iterable<ProcessInfo>;
  /** Called with a process for which the marker can be neither confirmed nor ruled out at this moment. */
  onDoubt?(info: ProcessInfo): void;
};

/** Kernel threads are children of this process and have no environment, ever. */
export const KERNEL_THREADS = 2;

/**
 * Finds what an agent started and what still runs: its descendants, its group and session, and
 * everything that carries its marker.
 */
export function survivors(agent: AgentIdentity, options: SurvivorOptions = {}): ProcessInfo[] {
  const carriesMarker = (info: ProcessInfo) => {
    if (!canVerify || info.ppid === KERNEL_THREADS || info.state === 'Z') return false;
    const carries = startedWithVariable(info.pid, agent.marker);
    if (carries === undefined) options.onDoubt?.(info);
    return carries === true;
  };
  const processes = agentProcesses(agent, {
    tree: processTree(),
    carriesMarker,
    known: options.known ?? [],
    self: process.pid,
  });
  return options.includeAgent ? processes : processes.filter((info) => info.pid !== agent.pid);
}
