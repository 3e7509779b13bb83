import { expect, test } from 'vitest';
import type { Store } from '../open-store.ts';
import { onBothEngines } from '../testing/engines.ts';
import { claimNext, DONE, newSession, queuePrompt, STARTED, TestRun } from '../testing/session.ts';

const DAY_MS = 86_400_000;

/** A task that ran for a second. */
async function finishedTask(store: Store, sessionId: string, end: object = {}): Promise<void> {
  const claim = await claimNext(store, await queuePrompt(store, sessionId));
  if (!claim) throw new Error('unreachable');
  await new TestRun(store, claim).say(STARTED, { ...DONE, ...end });
  const { task_id } = claim.task;
  await store.records.tasks.update({ task_id }, { completed_at: store.now() + 1000 });
}

onBothEngines('usage', (engine) => {
  test('is summed up by day, session, backend and user', async () => {
    let time = Date.UTC(2026, 0, 31, 12);
    const store = await engine.open({ now: () => time });
    const [one, two] = [await newSession(store), await newSession(store)];
    await finishedTask(store, one, {
      usage: { inputTokens: 10, outputTokens: 2, costUsd: 0.25 },
    });
    await finishedTask(store, two, { usage: { inputTokens: 5 } });
    time += DAY_MS;
    await finishedTask(store, one, {
      usage: { inputTokens: 3_000_000_000, costUsd: 0.5, costEstimated: true },
    });
    await queuePrompt(store, two);
    const [first, second] = await store.usage({ groupBy: ['day'] });
    const counts = { failed: 0, cancelled: 0, timedOut: 0 };
    expect(first).toEqual({
      keys: ['2026-01-31'],
      tasks: 2,
      inputTokens: 15,
      outputTokens: 2,
      costUsd: 0.25,
      costEstimated: false,
      durationMs: 2000,
      done: 2,
      ...counts,
    });
    expect(second).toEqual({
      keys: ['2026-02-01'],
      tasks: 2,
      inputTokens: 3_000_000_000,
      outputTokens: 0,
      costUsd: 0.5,
      costEstimated: true,
      durationMs: 1000,
      done: 1,
      ...counts,
    });
    const bySession = await store.usage({ groupBy: ['session'] });
    expect(bySession.find(({ keys }) => keys[0] === two)).toMatchObject({
      tasks: 2,
      inputTokens: 5,
    });
    expect(await store.usage({ groupBy: ['backend'] })).toMatchObject([
      { keys: ['demo'], tasks: 4 },
    ]);
    expect(await store.usage({ groupBy: ['user'] })).toMatchObject([
      { keys: [null], costUsd: 0.75, costEstimated: true },
    ]);
  });

  test('is summed up by folder, model and outcome, and by two at once', async () => {
    let time = Date.UTC(2026, 0, 31, 12);
    const store = await engine.open({ now: () => time });
    const session = await newSession(store);
    const ends = ['done', 'failed', 'timed_out', 'cancelled'] as const;
    for (const outcome of ends) await finishedTask(store, session, { outcome });
    time += DAY_MS;
    const model = 'large';
    await store.records.tasks.update({ outcome: 'failed' }, { model, completed_at: 1 });
    await queuePrompt(store, session, 'Hi', 'codex');
    const all = { tasks: 5, durationMs: 3000, done: 1, failed: 1, timedOut: 1, cancelled: 1 };
    expect(await store.usage({ groupBy: ['folder'] })).toMatchObject([
      { keys: ['/workspace'], ...all },
    ]);
    const byModel = await store.usage({ groupBy: ['model'] });
    expect(byModel.find(({ keys }) => keys[0] === model)).toMatchObject({ tasks: 1, failed: 1 });
    const outcomes = await store.usage({ groupBy: ['outcome'] });
    expect(new Set(outcomes.map(({ keys }) => keys[0]))).toEqual(new Set([...ends, null]));
    expect(await store.usage({ groupBy: ['day', 'backend'] })).toMatchObject([
      { keys: ['2026-01-31', 'demo'], tasks: 4 },
      { keys: ['2026-02-01', 'codex'], tasks: 1, done: 0, durationMs: 0 },
    ]);
  });

  test('counts the model that an agent used, else the one that was chosen', async () => {
    const store = await engine.open();
    const session = await newSession(store);
    const identified = { type: 'run.identified', nativeSessionId: 'n' } as const;
    const ran = async (chosen: string | undefined, ...used: (string | undefined)[]) => {
      const claim = await claimNext(store, await queuePrompt(store, session, 'Hi', 'demo', chosen));
      if (!claim) throw new Error('unreachable');
      const named = used.map((model) => ({ ...identified, ...(model ? { model } : {}) }));
      await new TestRun(store, claim).say(STARTED, ...named, DONE);
    };
    await ran('large', 'large-2026');
    await ran(undefined, 'large-2026');
    await ran('large', 'large-2026', 'small-2026');
    await ran('large', 'small-2026', undefined);
    await ran('large', undefined);
    await ran(undefined);
    const counts = async () =>
      Object.fromEntries(
        (await store.usage({ groupBy: ['model'] })).map(({ keys, tasks }) => [keys[0], tasks]),
      );
    const expected = { 'large-2026': 2, 'small-2026': 2, large: 1, null: 1 };
    expect(await counts()).toEqual(expected);
    await store.rebuild();
    expect(await counts()).toEqual(expected);
    const chosen = (await store.records.tasks.find()).map(({ model }) => model);
    expect(chosen.filter((model) => model === 'large')).toHaveLength(4);
  });

  test('counts only tasks created in the period', async () => {
    let time = 1000;
    const store = await engine.open({ now: () => time });
    const session = await newSession(store);
    for (time of [1000, 2000, 3000]) await queuePrompt(store, session);
    const tasks = async (from?: number, to?: number) =>
      (await store.usage({ groupBy: ['backend'], from, to })).map((row) => row.tasks);
    expect(await tasks(2000)).toEqual([2]);
    expect(await tasks(2000, 3000)).toEqual([1]);
    expect(await tasks(undefined, 1000)).toEqual([]);
  });
});
