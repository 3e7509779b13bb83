import { expect, test } from 'vitest';
import type { Store } from '../open-store.ts';
import { onBothEngines } from '../testing/engines.ts';
import { claimNext, DONE, newSession, queuePrompt, STARTED, TestRun } from '../testing/session.ts';

const DAY_MS = 86_400_000;

async function finishedTask(store: Store, sessionId: string, usage?: object): Promise<void> {
  const claim = await claimNext(store, await queuePrompt(store, sessionId));
  if (!claim) throw new Error('unreachable');
  await new TestRun(store, claim).say(STARTED, { ...DONE, ...(usage ? { usage } : {}) });
}

onBothEngines('usage', (engine) => {
  test('is summed up by day, session, backend and user', async () => {
    let time = Date.UTC(2026, 0, 31, 12);
    const store = await engine.open({ now: () => time });
    const [one, two] = [await newSession(store), await newSession(store)];
    await finishedTask(store, one, { inputTokens: 10, outputTokens: 2, costUsd: 0.25 });
    await finishedTask(store, two, { inputTokens: 5 });
    time += DAY_MS;
    await finishedTask(store, one, { inputTokens: 3_000_000_000, costUsd: 0.5 });
    await queuePrompt(store, two);
    const [first, second] = await store.usage({ groupBy: 'day' });
    expect(first).toEqual({
      key: '2026-01-31',
      tasks: 2,
      inputTokens: 15,
      outputTokens: 2,
      costUsd: 0.25,
    });
    expect(second).toEqual({
      key: '2026-02-01',
      tasks: 2,
      inputTokens: 3_000_000_000,
      outputTokens: 0,
      costUsd: 0.5,
    });
    const bySession = await store.usage({ groupBy: 'session' });
    expect(bySession.find(({ key }) => key === two)).toMatchObject({ tasks: 2, inputTokens: 5 });
    expect(await store.usage({ groupBy: 'backend' })).toMatchObject([{ key: 'demo', tasks: 4 }]);
    expect(await store.usage({ groupBy: 'user' })).toMatchObject([{ key: null, costUsd: 0.75 }]);
  });

  test('counts only what was asked for in a time', async () => {
    let time = 1000;
    const store = await engine.open({ now: () => time });
    const session = await newSession(store);
    for (time of [1000, 2000, 3000]) await queuePrompt(store, session);
    const tasks = async (from?: number, to?: number) =>
      (await store.usage({ groupBy: 'backend', from, to })).map((row) => row.tasks);
    expect(await tasks(2000)).toEqual([2]);
    expect(await tasks(2000, 3000)).toEqual([1]);
    expect(await tasks(undefined, 1000)).toEqual([]);
  });
});
