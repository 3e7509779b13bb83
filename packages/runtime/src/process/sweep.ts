import { setTimeout as pause } from 'node:timers/promises';
import { killProcesses } from './kill.ts';
import type { AgentIdentity } from './kin.ts';
import { type ProcessInfo, survivors } from './tree.ts';

const MAX_ROUNDS = 20;
const MAX_ROUNDS_AT_EXIT = 8;
const LONGEST_PAUSE_MS = 100;
/** So often a process that could not be judged is looked at again. */
const MAX_DOUBTS = 4;

export type SweepOptions = {
  /** Processes that were seen to be the agent's while that could still be seen. */
  earlier?: readonly ProcessInfo[];
  /** Leaves the agent alone, and what started before this. */
  onlySince?: number;
};

export type SweepResult = { killed: number; remaining: readonly ProcessInfo[] };

/** Kills an agent and all that belongs to it, until a look finds nothing more or patience ends. */
export async function sweep(agent: AgentIdentity, options?: SweepOptions): Promise<SweepResult> {
  const hunt = new Hunt(agent, options);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = hunt.look();
    if (!found && !(hunt.inDoubt && round < MAX_DOUBTS)) break;
    hunt.kill();
    // Death takes a moment, and that of a process which is not our child comes without an event.
    await pause(Math.min(2 ** round, LONGEST_PAUSE_MS));
  }
  return hunt.result();
}

/** The same for many agents at once, without giving way to anything else: this program is about to exit. */
export function sweepNow(agents: Iterable<AgentIdentity>): void {
  let hunts = [...agents].map((agent) => new Hunt(agent));
  for (let round = 0; round < MAX_ROUNDS_AT_EXIT; round++) {
    hunts = hunts.filter((hunt) => hunt.look() || (hunt.inDoubt && round < MAX_DOUBTS));
    if (hunts.length === 0) return;
    for (const hunt of hunts) hunt.kill();
    standStill(2 ** round);
  }
}

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Remembers what it found: the dead take with them the proof that their children are the agent's. */
class Hunt {
  readonly #agent: AgentIdentity;
  readonly #onlySince: number | undefined;
  readonly #known: ProcessInfo[];
  readonly #met = new Set<string>();
  #found: ProcessInfo[] = [];
  /** Whether the last look met a process that it could not judge. */
  inDoubt = false;

  constructor(agent: AgentIdentity, { earlier = [], onlySince }: SweepOptions = {}) {
    this.#agent = agent;
    this.#onlySince = onlySince;
    this.#known = [...earlier];
  }

  /** Tells whether there is anything to kill. */
  look(): boolean {
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

  result(): SweepResult {
    return { killed: this.#met.size - this.#found.length, remaining: this.#found };
  }
}
