import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { newSession, queuePrompt } from '../testing/session.ts';
import { wasSteered } from './was-steered.ts';

onBothEngines('what was given to a task', (engine) => {
  test('is known by its id, for that task', async () => {
    const store = await engine.open({ url: await engine.database() });
    const session = await newSession(store);
    const taskId = await queuePrompt(store, session, 'Hi');
    const other = await queuePrompt(store, session, 'Ho');
    const steerId = randomUUID();
    const text = `{"steerId":"${randomUUID()}"}`;
    await store.log.append(session, () => ({
      drafts: [{ type: 'task.steered', taskId, text, steerId }],
      result: undefined,
    }));
    const isKnown = (given: { taskId: string; steerId: string }) =>
      store.log.append(session, async (_state, tx) => ({
        drafts: [],
        result: await wasSteered(tx, session, given),
      }));
    expect(await isKnown({ taskId, steerId })).toBe(true);
    expect(await isKnown({ taskId: other, steerId })).toBe(false);
    expect(await isKnown({ taskId, steerId: randomUUID() })).toBe(false);
    expect(await isKnown({ taskId: 'none', steerId })).toBe(false);
  });
});
