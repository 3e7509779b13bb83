import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { BatonClient } from '@baton/client';
import { isFinal, type TaskRecord } from '@baton/protocol';
import { onTestFinished } from 'vitest';
import type { TestPostgres } from '../packages/store/src/testing/postgres.ts';
import { checkRound } from './checks/check-round.ts';
import { causeFaults } from './faults.ts';
import { followAll, type Sightings } from './followers.ts';
import type { RoundPlan } from './plan.ts';
import {
  answerEverything,
  type ChaosTask,
  idleSessions,
  keepAgents,
  MOST_AT_ONCE,
  startTasks,
} from './tasks.ts';
import { ChaosWorld } from './world/chaos-world.ts';

export type Stage = {
  /** The built command. */
  main: string;
  postgres: TestPostgres | undefined;
};

/** Every look at all tasks is work for a daemon that has enough of it. */
const POLL_MS = 250;
/** After this something hangs. */
const PATIENCE_MS = 90_000;

/** Plays one round: many agents talk, things go wrong and are mended, everything ends, and all of it is judged. */
export async function playRound(plan: RoundPlan, { main, postgres }: Stage): Promise<void> {
  const databaseUrl = plan.engine === 'postgres' ? await postgres?.database() : undefined;
  const world = await ChaosWorld.open({ main, databaseUrl, slots: MOST_AT_ONCE });
  const enough = new AbortController();
  onTestFinished(async () => {
    enough.abort();
    await world.close();
  }, 60_000);
  try {
    if (plan.keepsAgents) await keepAgents(world);
    const idle = await idleSessions(world);
    const begun = await startTasks(world);
    const sessionIds = [...begun.map(({ sessionId }) => sessionId), ...idle];
    const far = followAll(world.farClient, sessionIds, enough.signal);
    const near = followAll(world.client, sessionIds, enough.signal);
    const answering = answerEverything(world, enough.signal);
    const deeds = await causeFaults(world, plan.faults, { postgres, idleSessions: idle });
    const tasks = [...begun, ...deeds.tasks];
    const sightings = [far.seen, near.seen];
    await untilAllEnded(world.client, tasks);
    await untilAllSeen(world.client, sightings);
    await untilAlone(world);
    enough.abort();
    await Promise.all([far.ended, near.ended, answering]);
    await world.daemon.stop();
    await checkRound({ world, tasks, deeds, sightings });
  } catch (error) {
    if (error instanceof Error) error.message += `\nThe daemon said:\n${world.daemon.lastWords()}`;
    throw error;
  }
}

async function untilAllEnded(client: BatonClient, tasks: readonly ChaosTask[]): Promise<void> {
  let open: TaskRecord[] = [];
  await within(
    'these tasks have not ended',
    () => open,
    async () => {
      const { data } = await client.tasks.find({ limit: 1000 });
      open = data.filter(({ status }) => !isFinal(status));
      return data.length === tasks.length && open.length === 0;
    },
  );
}

async function untilAllSeen(client: BatonClient, sightings: readonly Sightings[]): Promise<void> {
  const { data } = await client.sessions.find({ limit: 1000 });
  const behind = () =>
    sightings.flatMap((seen) =>
      data
        .map(({ session_id, head_cursor }) => ({
          session_id,
          head_cursor,
          seen: seen.get(session_id)?.at(-1)?.cursor ?? 0,
        }))
        .filter(({ seen: last, head_cursor }) => last < head_cursor),
    );
  await within('followers are behind', behind, async () => behind().length === 0);
}

/** Only the daemon itself is left, and it knows that; nothing of others is on its disk. */
async function untilAlone(world: ChaosWorld): Promise<void> {
  const others = () => world.processes().filter(({ executorId }) => executorId !== undefined);
  await within('processes are left', others, async () => others().length === 0);
  let known: unknown[] = [];
  await within(
    'executors are listed',
    () => known,
    async () => {
      known = await world.client.connection.call<unknown[]>('executors', 'find', [{}]);
      return known.length === 0;
    },
  );
  // It is made again for the next executor only.
  const spools = () => (existsSync(world.spoolFolder) ? readdirSync(world.spoolFolder) : []);
  await within('spools are left', spools, async () => spools().length === 0);
}

async function within(
  trouble: string,
  facts: () => unknown,
  holds: () => Promise<boolean>,
): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > until) throw new Error(`${trouble}: ${JSON.stringify(facts(), null, 1)}`);
    await pause(POLL_MS);
  }
}
