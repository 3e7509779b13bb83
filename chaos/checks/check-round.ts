import type { LogEvent } from '@baton/protocol';
import { openStore, type Store } from '@baton/store';
import { expect } from 'vitest';
import type { Deeds } from '../faults.ts';
import type { Sightings } from '../followers.ts';
import type { ChaosTask } from '../tasks.ts';
import type { ChaosWorld } from '../world/chaos-world.ts';
import { checkEnd } from './check-end.ts';
import { checkLedger } from './check-ledger.ts';
import { checkCursors, checkMessages, checkRun, checkSpool } from './check-log.ts';
import { checkNobodyAtWork, checkProjections, wholeLog } from './check-store.ts';
import { storyOf } from './task-story.ts';

export type Round = {
  world: ChaosWorld;
  tasks: readonly ChaosTask[];
  deeds: Deeds;
  /** Events that followers received, some over connections that were cut. */
  sightings: readonly Sightings[];
};

/** Checks a round after its daemon is gone, by the state of the database and the disk. */
export async function checkRound(round: Round): Promise<void> {
  const { world } = round;
  expect(world.daemon.crashes).toEqual([]);
  expect(world.processes(), 'processes that are left').toEqual([]);
  const store = await openStore({ url: world.databaseUrl });
  try {
    for (const sessionId of new Set(round.tasks.map((task) => task.sessionId))) {
      await checkSession(store, round, sessionId);
    }
    await checkNobodyAtWork(store);
    await checkProjections(store);
  } finally {
    await store.close();
  }
}

async function checkSession(store: Store, round: Round, sessionId: string): Promise<void> {
  const log = await wholeLog(store, sessionId);
  checkCursors(log);
  for (const seen of round.sightings) checkSeen(seen.get(sessionId) ?? [], log);
  for (const task of round.tasks) {
    if (task.sessionId !== sessionId) continue;
    const story = storyOf(task, log);
    const row = await store.records.tasks.get(task.taskId);
    if (!row) throw new Error(`Task ${task.taskId} is gone.`);
    checkRun(story);
    checkMessages(story);
    checkSpool(story, round.deeds);
    checkLedger(story, row);
    checkEnd(story, row, round.deeds);
  }
}

function checkSeen(seen: readonly LogEvent[], log: readonly LogEvent[]): void {
  expect(seen.map(({ cursor }) => cursor)).toEqual(log.map(({ cursor }) => cursor));
  expect(seen).toEqual(log);
}
