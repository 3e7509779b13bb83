import { setTimeout as pause } from 'node:timers/promises';
import type { AgentIdentity } from './agent-processes.ts';
import { killProcesses } from './kill.ts';
import { type ProcessInfo, survivors } from './process-table.ts';

const MAX_ROUNDS = 20;
const MAX_ROUNDS_AT_EXIT = 8;
const LONGEST_PAUSE_MS = 100;
/** Maximum number of repeated checks of a process whose environment could not be read. */
const MAX_DOUBTS = 4;

type KillTreeOptions = {
  /** Processes that were known to be the agent's at an earlier time. */
  earlier?: readonly ProcessInfo[] | undefined;
  /** Spares the agent, and everything that started before this. */
  onlySince?: number;
};

export type KillTreeResult = { killed: number; remaining: readonly ProcessInfo[] };

/** Kills an agent and every process that belongs to it, again and again until none is found or the rounds run out. */
export async function killTree(
  agent: AgentIdentity,
  options?: KillTreeOptions,
): Promise<KillTreeResult> {
  const treeKill = new TreeKill(agent, options);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = treeKill.find();
    if (!found && !(treeKill.inDoubt && round < MAX_DOUBTS)) break;
    treeKill.kill();
    // A killed process takes a moment to go, and only our own children report it with an event.
    await pause(Math.min(2 ** round, LONGEST_PAUSE_MS));
  }
  return treeKill.result();
}

/** The same for many agents, synchronously: this program is about to exit. */
export function killTreesSync(agents: Iterable<AgentIdentity>): void {
  let treeKills = [...agents].map((agent) => new TreeKill(agent));
  for (let round = 0; round < MAX_ROUNDS_AT_EXIT; round++) {
    treeKills = treeKills.filter((each) => each.find() || (each.inDoubt && round < MAX_DOUBTS));
    if (treeKills.length === 0) return;
    for (const each of treeKills) each.kill();
    sleepSync(2 ** round);
  }
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Remembers the processes that it found: once they are dead, nothing else shows that their children are the agent's. */
class TreeKill {
  readonly #agent: AgentIdentity;
  readonly #onlySince: number | undefined;
  readonly #known: ProcessInfo[];
  readonly #met = new Set<string>();
  #found: ProcessInfo[] = [];
  /** True if the last search met a process whose environment could not be read. */
  inDoubt = false;

  constructor(agent: AgentIdentity, { earlier = [], onlySince }: KillTreeOptions = {}) {
    this.#agent = agent;
    this.#onlySince = onlySince;
    this.#known = [...earlier];
  }

  /** Searches the process table; returns true if there is anything to kill. */
  find(): boolean {
    const since = this.#onlySince;
    const includeAgent = since === undefined;
    this.inDoubt = false;
    const onDoubt = () => {
      this.inDoubt = true;
    };
    const found = survivors(this.#agent, { includeAgent, known: this.#known, onDoubt });
    this.#found = found.filter(({ startTicks }) => since === undefined || startTicks >= since);
    this.#known.push(...this.#found);
    for (const { pid, startTicks } of this.#found) this.#met.add(`${pid} ${startTicks}`);
    return this.#found.length > 0;
  }

  kill(): void {
    killProcesses(this.#found);
  }

  result(): KillTreeResult {
    return { killed: this.#met.size - this.#found.length, remaining: this.#found };
  }
}
