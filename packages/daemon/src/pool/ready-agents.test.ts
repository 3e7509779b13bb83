import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@baton/store';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ReadyAgents } from './ready-agents.ts';

const LONG_MS = 20_000;

let store: Store;
let changes: number;
let ready: ReadyAgents;

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-ready-'));
  store = await openStore({ url: join(folder, 'baton.db') });
  onTestFinished(async () => {
    vi.useRealTimers();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  vi.useFakeTimers();
  changes = 0;
  ready = new ReadyAgents(store, () => {
    changes += 1;
  });
});

const claims = (executorId: string, taskId = `task of ${executorId}`) => ({
  sessionId: 's',
  taskId,
  executorId,
  fence: 1,
});

test('reserves the next task of a session for an executor that is about to ask', () => {
  ready.expect(claims('e'));
  expect(ready.sessions()).toEqual(['s']);
  expect(ready.isReady('task of e')).toBe(true);
  expect(ready.waiting()).toEqual([]);
});

test('releases the task when the executor does not ask', () => {
  ready.expect(claims('e'));
  vi.runOnlyPendingTimers();
  expect(ready.sessions()).toEqual([]);
  expect(changes).toBe(1);
});

test('reserves the next task also between two calls of an executor', async () => {
  const first = ready.wait(claims('e'), LONG_MS);
  vi.advanceTimersByTime(LONG_MS);
  expect(await first).toBe('nothing yet');
  expect(ready.waiting()).toEqual([]);
  expect(ready.sessions()).toEqual(['s']);
});

test('answers every executor of a session, not only the last one', async () => {
  const calls = ['e', 'f'].map((executorId) => ready.wait(claims(executorId), LONG_MS));
  ready.dismissAll();
  expect(await Promise.all(calls)).toEqual(['none', 'none']);
});

test('answers every call of an executor whose connection broke', async () => {
  const calls = [ready.wait(claims('e'), LONG_MS), ready.wait(claims('e'), LONG_MS)];
  const [agent] = ready.waiting();
  const lease = { task_id: 'next' } as Parameters<typeof ready.give>[1];
  if (agent) ready.give(agent, lease);
  expect(await Promise.all(calls)).toEqual([lease, lease]);
});

test('leaves no timer behind that would keep the daemon from ending', () => {
  void ready.wait(claims('e'), LONG_MS);
  void ready.wait(claims('f'), LONG_MS);
  void ready.wait(claims('e', 'a later task'), LONG_MS);
  ready.expect(claims('g'));
  ready.dismissAll();
  expect(vi.getTimerCount()).toBe(0);
});
