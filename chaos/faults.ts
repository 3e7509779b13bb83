import { setTimeout as pause } from 'node:timers/promises';
import type { AgentEvent } from '@baton/protocol';
import type { TestPostgres } from '../packages/store/src/testing/postgres.ts';
import type { Fault, FaultKind } from './plan.ts';
import type { ChaosWorld } from './world/chaos-world.ts';
import { type Found, kill, killWithSpool } from './world/processes.ts';

/** What was done in a round, for whoever judges what came of it. */
export type Deeds = {
  /** What killed executors had in their spools, by their ids. */
  killedExecutors: Map<string, AgentEvent[]>;
  /** The executors whose agents were killed. */
  killedAgents: Set<string>;
};

type Mischief = (fault: Fault) => Promise<void>;

/** Lets the faults of a round happen, each at its moment; settles when all is mended. */
export async function causeFaults(
  world: ChaosWorld,
  faults: readonly Fault[],
  postgres: TestPostgres | undefined,
): Promise<Deeds> {
  const deeds: Deeds = { killedExecutors: new Map(), killedAgents: new Set() };
  const mischief = mischiefIn(world, postgres, deeds);
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
  postgres: TestPostgres | undefined,
  { killedExecutors, killedAgents }: Deeds,
): Record<FaultKind, Mischief> {
  const { daemon, proxy, disk } = world;
  const lasting = async (lasts: number, heal: () => void | Promise<void> | undefined) => {
    await pause(lasts);
    await heal();
  };
  return {
    'kill the daemon': ({ lasts }) => daemon.crash(lasts),
    'kill an executor': async ({ choice }) => {
      const victim = chosen(world, isExecutor, choice);
      if (!victim) return;
      killedExecutors.set(victim.executorId, []);
      killedExecutors.set(victim.executorId, await killWithSpool(victim.pid));
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
    'kill PostgreSQL': async ({ lasts }) => {
      await postgres?.kill();
      return lasting(lasts, () => postgres?.restart());
    },
  };
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
