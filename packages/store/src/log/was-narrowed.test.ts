import { expect, test } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { newSession, queuePrompt } from '../testing/session.ts';
import { wasNarrowed } from './was-narrowed.ts';

onBothEngines('a task with a stricter mode', (engine) => {
  test('is known as such, for its executor', async () => {
    const store = await engine.open({ url: await engine.database() });
    const session = await newSession(store);
    const [taskId, other] = [
      await queuePrompt(store, session, 'Hi'),
      await queuePrompt(store, session, 'Say "task.narrowed"'),
    ];
    const mode = { from: 'auto' as const, permissionMode: 'ask' as const };
    await store.log.append(session, () => ({
      drafts: [{ type: 'task.narrowed', taskId, executorId: 'e', ...mode }],
      result: undefined,
    }));
    const isNarrowed = (id: string, executor_id: string) =>
      store.log.append(session, async ({ tasks }, tx) => {
        const task = tasks.get(id);
        if (!task) throw new Error('unreachable');
        return { drafts: [], result: await wasNarrowed(tx, { ...task, executor_id }) };
      });
    expect(await isNarrowed(taskId, 'e')).toBe(true);
    expect(await isNarrowed(taskId, 'f')).toBe(false);
    expect(await isNarrowed(other, 'e')).toBe(false);
  });
});
