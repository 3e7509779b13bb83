import { expect, test } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { newSession, queuePrompt, STARTED, startedRun } from '../testing/session.ts';

onBothEngines('the beginning of an id', (engine) => {
  test('finds sessions, tasks and requests', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    const action = { type: 'command' as const, command: 'rm' };
    const request = { requestId: 'ask_1', tool: 'Bash', action, scopes: ['once' as const] };
    await run.say(STARTED, { type: 'permission.requested', ...request });
    const { sessionId: session_id, taskId: task_id } = run;
    expect(await store.findIds(session_id.slice(0, 12), 10)).toEqual([
      expect.objectContaining({ kind: 'session', id: session_id, session_id, task_id: null }),
    ]);
    expect(await store.findIds(task_id.slice(0, 12), 10)).toEqual([
      expect.objectContaining({ kind: 'task', id: task_id, session_id, task_id }),
    ]);
    expect(await store.findIds('ask', 10)).toEqual([
      { kind: 'request', id: 'ask_1', session_id, task_id, about: 'permission' },
    ]);
  });

  test('is used literally, and returns at most the limit', async () => {
    const store = await engine.open();
    const session = await newSession(store);
    await queuePrompt(store, session);
    await queuePrompt(store, session);
    for (const beginning of ['%', '_', '\\', 'x%', `${session.slice(0, 4)}_`]) {
      expect(await store.findIds(beginning, 10)).toEqual([]);
    }
    expect(await store.findIds('', 1)).toHaveLength(2);
  });
});
