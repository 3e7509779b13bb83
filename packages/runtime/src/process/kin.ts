import type { ProcessInfo } from './tree.ts';

/** What tells an agent's process from every other. */
export type AgentIdentity = {
  readonly pid: number;
  readonly startTicks?: number | undefined;
  /** Name of the environment variable that the agent's descendants inherit. */
  readonly marker: string;
};

export type Surroundings = {
  tree: readonly ProcessInfo[];
  carriesMarker(info: ProcessInfo): boolean;
  /** Processes that an earlier picture showed to be the agent's. */
  known: Iterable<ProcessInfo>;
  /** Our own pid, which never belongs to the agent. */
  self: number;
};

/** Picks the living processes that belong to an agent, the agent included, from one picture of the machine. */
export function kinOf(agent: AgentIdentity, around: Surroundings): ProcessInfo[] {
  const byPid = new Map(around.tree.map((info) => [info.pid, info]));
  const self = byPid.get(around.self);
  const kin = new Set<ProcessInfo>();
  /** Groups and sessions, which only relatives can be members of. */
  const families = new Set<number>();

  const addFamily = (id: number) => {
    if (id > 1 && id !== self?.pgid && id !== self?.sid) families.add(id);
  };
  const add = (info: ProcessInfo) => {
    if (info === self) return;
    kin.add(info);
    addFamily(info.pgid);
    addFamily(info.sid);
  };
  const addRelatives = () => {
    for (let before = -1; before !== kin.size; ) {
      before = kin.size;
      for (const info of around.tree) {
        if (kin.has(info)) continue;
        const parent = byPid.get(info.ppid);
        const byBirth = parent !== undefined && kin.has(parent);
        if (byBirth || families.has(info.pgid) || families.has(info.sid)) add(info);
      }
    }
  };

  const past = new Map(
    [agentRecord(agent, byPid), ...around.known].map((info) => [info.pid, info]),
  );
  for (const info of past.values()) {
    const present = byPid.get(info.pid);
    if (present && isSame(present, info)) {
      add(present);
      continue;
    }
    for (const id of [info.pgid, info.sid]) {
      const leader = byPid.get(id);
      // A number is not given out again while a group or session uses it: a stranger who has it
      // now proves that the old group is gone.
      if (!leader || isSame(leader, past.get(id))) addFamily(id);
    }
  }
  addRelatives();
  for (const info of around.tree) {
    if (kin.has(info) || info.startTicks < (agent.startTicks ?? 0)) continue;
    if (around.carriesMarker(info)) add(info);
  }
  addRelatives();
  return [...kin].filter((info) => info.state !== 'Z' && info.state !== 'X');
}

/** The agent leads its own group and session; without a start time, whoever has its pid is the agent. */
function agentRecord(agent: AgentIdentity, byPid: Map<number, ProcessInfo>): ProcessInfo {
  const { pid } = agent;
  const startTicks = agent.startTicks ?? byPid.get(pid)?.startTicks ?? 0;
  return { pid, ppid: 0, pgid: pid, sid: pid, startTicks, state: '' };
}

function isSame(a: ProcessInfo, b: ProcessInfo | undefined): boolean {
  return a.pid === b?.pid && a.startTicks === b.startTicks;
}
