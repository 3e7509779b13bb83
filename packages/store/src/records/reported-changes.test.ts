import { expect, test } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { newSession } from '../testing/session.ts';

onBothEngines('a reported change', (engine) => {
  test('is replaced by a later report of the same comparison', async () => {
    const { records } = await engine.open();
    const row = {
      ...{ change_id: 'session:s', session_id: 's', task_id: 't', compare: 'session', host: 'h' },
      ...{ from_tree: 'a', to_tree: 'b', facts: '{}', patch: Buffer.from([0, 255]), at: 1 },
    };
    await records.reportedChanges.put(row);
    await records.reportedChanges.put({ ...row, to_tree: 'c', patch: null, at: 2 });
    expect(await records.reportedChanges.find({ where: { session_id: 's' } })).toEqual([
      { ...row, to_tree: 'c', patch: null, at: 2 },
    ]);
  });

  test('is removed with its session', async () => {
    const store = await engine.open();
    const session_id = await newSession(store);
    await store.log.append(session_id, () => ({
      drafts: [{ type: 'session.changed', changes: { archived: true } }],
      result: undefined,
    }));
    await store.records.reportedChanges.put({
      ...{ change_id: 'x', session_id, task_id: 't', compare: 'turn', host: 'h' },
      ...{ from_tree: 'a', to_tree: 'b', facts: '{}', patch: null, at: 1 },
    });
    await store.removal.archivedBefore(store.now() + 1000);
    expect(await store.records.reportedChanges.count()).toBe(0);
  });
});
