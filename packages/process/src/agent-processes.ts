import type { ProcessInfo } from './process-table.ts';

/** Properties that tell an agent's process from every other. */
export type AgentIdentity = {
  readonly pid: number;
  readonly startTicks?: number | undefined;
  /** Name of the environment variable that the agent's descendants inherit. */
  readonly marker: string;
};

type ProcessSnapshot = {
  tree: readonly ProcessInfo[];
  carriesMarker(info: ProcessInfo): boolean;
  /** Processes that an earlier snapshot showed to be the agent's. */
  known: Iterable<ProcessInfo>;
  /** Our own pid, which never belongs to the agent. */
  self: number;
};

/**
 * Finds the live processes that belong to an agent, the agent included, in a snapshot of the process table: descendants,
 * members of their process groups and sessions, and processes that inherited the marker.
 */
export function agentProcesses(agent: AgentIdentity, snapshot: ProcessSnapshot): ProcessInfo[] {
  const byPid = new Map(snapshot.tree.map((info) => [info.pid, info]));
  const self = byPid.get(snapshot.self);
  const found = new Set<ProcessInfo>();
  /** Process groups and sessions that only processes of the agent can be members of. */
  const groups = new Set<number>();

  const addGroup = (id: number) => {
    if (id > 1 && id !== self?.pgid && id !== self?.sid) groups.add(id);
  };
  const add = (info: ProcessInfo) => {
    if (info === self) return;
    found.add(info);
    addGroup(info.pgid);
    addGroup(info.sid);
  };
  const addDescendants = () => {
    for (let before = -1; before !== found.size; ) {
      before = found.size;
      for (const info of snapshot.tree) {
        if (found.has(info)) continue;
        const parent = byPid.get(info.ppid);
        const isChild = parent !== undefined && found.has(parent);
        if (isChild || groups.has(info.pgid) || groups.has(info.sid)) add(info);
      }
    }
  };

  const past = new Map(
    [agentRecord(agent, byPid), ...snapshot.known].map((info) => [info.pid, info]),
  );
  for (const info of past.values()) {
    const present = byPid.get(info.pid);
    if (present && isSame(present, info)) {
      add(present);
      continue;
    }
    for (const id of [info.pgid, info.sid]) {
      const leader = byPid.get(id);
      // The system does not reuse a pid while a group or session has that id: another process with
      // this pid proves that the old group is gone.
      if (!leader || isSame(leader, past.get(id))) addGroup(id);
    }
  }
  addDescendants();
  for (const info of snapshot.tree) {
    if (found.has(info) || info.startTicks < (agent.startTicks ?? 0)) continue;
    if (snapshot.carriesMarker(info)) add(info);
  }
  addDescendants();
  return [...found].filter((info) => info.state !== 'Z' && info.state !== 'X');
}

/** The agent leads its own group and session; without a start time, any process with its pid is the agent. */
function agentRecord(agent: AgentIdentity, byPid: Map<number, ProcessInfo>): ProcessInfo {
  const { pid } = agent;
  const startTicks = agent.startTicks ?? byPid.get(pid)?.startTicks ?? 0;
  return { pid, ppid: 0, pgid: pid, sid: pid, startTicks, state: '' };
}

function isSame(a: ProcessInfo, b: ProcessInfo | undefined): boolean {
  return a.pid === b?.pid && a.startTicks === b.startTicks;
}
