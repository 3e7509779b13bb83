import { existsSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentEvent } from '@baton/protocol';
import type { TestPostgres } from '../packages/store/src/testing/postgres.ts';
import type { Fault, FaultKind } from './plan.ts';
import { type ChaosTask, startTask } from './tasks.ts';
import type { ChaosWorld } from './world/chaos-world.ts';
import { type Found, kill, killWithSpool } from './world/processes.ts';

/** The faults of a round, for the checks after it. */
export type Deeds = {
  /** Spooled events of killed executors, by executor id; empty for those that were asked to end. */
  killedExecutors: Map<string, AgentEvent[]>;
  /** The executors whose agents were killed. */
  killedAgents: Set<string>;
  /** Tasks that were queued for a fault. */
  tasks: ChaosTask[];
};

export type Targets = {
  postgres: TestPostgres | undefined;
  /** Sessions without a task. */
  idleSessions: readonly string[];
};

/** Longest time from a prompt to its claim; the executor starts a little later. */
const CLAIM_MS = 60;
const HOUR_MS = 3_600_000;

type Mischief = (fault: Fault) => Promise<void>;

/** Lets the faults of a round happen, each at its moment; settles when all is mended. */
export async function causeFaults(
  world: ChaosWorld,
  faults: readonly Fault[],
  targets: Targets,
): Promise<Deeds> {
  const deeds: Deeds = { killedExecutors: new Map(), killedAgents: new Set(), tasks: [] };
  const mischief = mischiefIn(world, targets, deeds);
  const busy = new Set<FaultKind>();
  await Promise.all(
    faults.map(async (fault) => {
      await pause(fault.at);
      // What is broken already cannot be broken again.
      if (busy.has(fault.kind)) return;
      busy.add(fault.kind);
      await mischief[fault.kind](fault);
      busy.delete(fault.kind);
    }),
  );
  return deeds;
}

function mischiefIn(
  world: ChaosWorld,
  { postgres, idleSessions }: Targets,
  { killedExecutors, killedAgents, tasks }: Deeds,
): Record<FaultKind, Mischief> {
  const { daemon, proxy, disk } = world;
  /** Spool files of killed executors, by executor id. */
  const spools = new Map<string, string>();
  const lasting = async (lasts: number, heal: () => void | Promise<void> | undefined) => {
    await pause(lasts);
    await heal();
  };
  return {
    'kill the daemon': ({ lasts }) => daemon.crash(lasts),
    'kill the daemon at a claim': async ({ lasts, choice }) => {
      const sessionId = idleSessions[tasks.length];
      if (sessionId === undefined) return;
      const number = `idle-${tasks.length}`;
      const starting = startTask(world, sessionId, { number, permissionMode: 'allow-all' });
      await pause(choice * CLAIM_MS);
      await daemon.crash(lasts);
      tasks.push(await starting);
    },
    'stop the daemon': ({ lasts, choice }) => daemon.end(signalOf(choice), lasts),
    'stop the service': ({ lasts }) =>
      daemon.end('SIGTERM', lasts, () => {
        for (const { pid, executorId } of world.processes()) {
          if (executorId === undefined) continue;
          killedExecutors.set(executorId, killedExecutors.get(executorId) ?? []);
          kill(pid, 'SIGTERM');
        }
      }),
    'stop an executor': async ({ choice }) => {
      const victim = chosen(world, isExecutor, choice);
      if (!victim) return;
      killedExecutors.set(victim.executorId, killedExecutors.get(victim.executorId) ?? []);
      kill(victim.pid, signalOf(choice));
    },
    'kill an executor': async ({ choice }) => {
      const victim = chosen(world, isExecutor, choice);
      if (!victim) return;
      killedExecutors.set(victim.executorId, []);
      const { spool, events } = await killWithSpool(victim.pid);
      if (spool === undefined) return;
      spools.set(victim.executorId, spool);
      killedExecutors.set(victim.executorId, events);
    },
    'kill an agent': async ({ choice }) => {
      const victim = chosen(world, isAgent, choice);
      if (!victim) return;
      killedAgents.add(victim.executorId);
      kill(victim.pid);
    },
    'cut the connection': ({ lasts }) => {
      proxy.cut();
      return lasting(lasts, () => proxy.heal());
    },
    'silence the connection': ({ lasts }) => {
      proxy.silence();
      return lasting(lasts, () => proxy.heal());
    },
    'fill the disk': ({ lasts }) => {
      disk?.fill();
      return lasting(lasts, () => disk?.heal());
    },
    'set the clock': ({ lasts, choice }) => {
      world.setClock(choice < 0.5 ? -HOUR_MS : HOUR_MS);
      return lasting(lasts, () => world.setClock(0));
    },
    'remove the spool folder': async () => {
      // No daemon has read these yet, and no process has a copy.
      for (const [executorId, spool] of spools) {
        if (existsSync(spool)) killedExecutors.set(executorId, []);
      }
      rmSync(world.spoolFolder, { recursive: true, force: true });
    },
    'kill PostgreSQL': async ({ lasts }) => {
      await postgres?.kill();
      return lasting(lasts, () => postgres?.restart());
    },
  };
}

/** A signal that asks a process to end. */
function signalOf(choice: number): NodeJS.Signals {
  return (['SIGINT', 'SIGTERM', 'SIGHUP'] as const)[Math.floor(choice * 3)] ?? 'SIGTERM';
}

type Victim = Found & { executorId: string };

type Suits = (found: Found, all: readonly Found[]) => boolean;

function chosen(world: ChaosWorld, suits: Suits, choice: number): Victim | undefined {
  const all = world.processes();
  const victims = all.filter(
    (found): found is Victim => found.executorId !== undefined && suits(found, all),
  );
  return victims[Math.floor(choice * victims.length)];
}

/** An agent that is just being born is a copy of its executor, which is its parent. */
const isExecutor = ({ command, parent }: Found, all: readonly Found[]) =>
  command.endsWith(' executor') &&
  !all.some(({ pid, executorId }) => pid === parent && executorId !== undefined);
const isAgent = ({ command }: Found) => command.includes('demo-agent');
