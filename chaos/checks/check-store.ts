import type { LogEvent } from '@baton/protocol';
import type { Store } from '@baton/store';
import { expect } from 'vitest';

/** The whole log of a session. */
export async function wholeLog(store: Store, sessionId: string): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  for (let hasMore = true; hasMore; ) {
    const page = await store.log.read(sessionId, events.at(-1)?.cursor ?? 0, 1000);
    events.push(...page.events);
    hasMore = page.hasMore;
  }
  return events;
}

/** Checks that the derived tables equal those rebuilt from the log. */
export async function checkProjections(store: Store): Promise<void> {
  const before = await derived(store);
  await store.rebuild();
  expect(await derived(store)).toEqual(before);
}

/** Checks that no lease is left and that every executor has ended. */
export async function checkNobodyAtWork(store: Store): Promise<void> {
  expect(await store.leases.all()).toEqual([]);
  expect(await store.records.executors.find({ where: { ended_at: null } })).toEqual([]);
}

async function derived(store: Store) {
  const sessions = await store.records.sessions.find();
  const entries = await Promise.all(
    sessions.map(({ session_id }) => store.entries(session_id, { limit: 100_000 })),
  );
  const tasks = await store.records.tasks.find();
  const requests = await store.records.requests.find();
  // The ids of requests are only different within a task.
  requests.sort((a, b) => (a.task_id < b.task_id ? -1 : 1));
  return { sessions, tasks, requests, entries };
}
