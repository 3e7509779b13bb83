import { expect, test } from 'vitest';
import { endingOf } from '../log/end-task.ts';
import type { Store } from '../open-store.ts';
import { onBothEngines } from '../testing/engines.ts';
import { claimedRun, DONE, newSession, queuePrompt, STARTED } from '../testing/session.ts';

const PAGE = { limit: 100, offset: 0 };
const NEWEST = { ...PAGE, order: 'newest', longest: 1000 } as const;

onBothEngines('lists', (engine) => {
  test('of tasks are as asked for', async () => {
    let time = 1000;
    const store = await engine.open({ now: () => time++ });
    const [one, two] = [await newSession(store, 'First'), await newSession(store, 'Second')];
    const a = await queuePrompt(store, one, 'Mend the DOOR, 100% of it.');
    const b = await queuePrompt(store, two, '扉を直してください。Änderung', 'codex');
    const c = await queuePrompt(store, one, 'Paint_the window\0');
    await (await claimedRun(store, a)).say(STARTED, {
      ...DONE,
      output: 'Mended.',
      usage: { costUsd: 0.5 },
    });
    const changes = { archived: true };
    await store.log.append(two, () => ({
      drafts: [{ type: 'session.changed', changes }],
      result: undefined,
    }));
    const ids = async (query: object) => {
      const { rows, total } = await store.taskList({ ...NEWEST, ...query });
      expect(total).toBe(rows.length);
      return rows.map(({ task_id }) => task_id);
    };
    expect(await ids({})).toEqual([c, b, a]);
    expect(await ids({ order: 'oldest' })).toEqual([a, b, c]);
    expect(await ids({ sessionId: one })).toEqual([c, a]);
    expect(await ids({ statuses: ['COMPLETED', 'RUNNING'] })).toEqual([a]);
    expect(await ids({ statuses: ['COMPLETED', 'QUEUED'] })).toEqual([c, b, a]);
    expect(await ids({ backend: 'codex' })).toEqual([b]);
    expect(await ids({ cwd: '/workspace' })).toEqual([c, b, a]);
    expect(await ids({ cwd: '/work' })).toEqual([]);
    expect(await ids({ archived: true })).toEqual([b]);
    expect(await ids({ archived: false })).toEqual([c, a]);
    for (const search of ['door', 'Mend the', 'the  mend ', '100%']) {
      expect(await ids({ search })).toEqual([a]);
    }
    expect(await ids({ search: 'mend window' })).toEqual([]);
    expect(await ids({ search: '直して' })).toEqual([b]);
    expect(await ids({ search: 'änderung' })).toEqual([b]);
    expect(await ids({ search: 'paint_' })).toEqual([c]);
    expect(await ids({ search: '_' })).toEqual([c]);
    expect(await ids({ search: '\0' })).toEqual([c]);
    expect(await ids({ search: '' })).toEqual([c, b, a]);
    const { rows: brief } = await store.taskList({ ...NEWEST, longest: 3 });
    expect(brief).toMatchObject([
      { full_prompt: 'Pai', output: null },
      { full_prompt: '扉を直', output: null },
      { full_prompt: 'Men', output: 'Men', last_seq: 2 },
    ]);
    const d = await queuePrompt(store, one);
    const behind = async () => {
      const { rows } = await store.taskList({ ...NEWEST, statuses: ['QUEUED', 'RUNNING'] });
      return rows.map(({ task_id, waits_behind }) => [task_id, waits_behind]);
    };
    expect(await behind()).toEqual([
      [d, 1],
      [c, 0],
      [b, 0],
    ]);
    await (await claimedRun(store, c)).say(STARTED);
    expect(await behind()).toEqual([
      [d, 1],
      [c, 0],
      [b, 0],
    ]);
    const { rows, total } = await store.taskList({ ...NEWEST, limit: 1, offset: 2 });
    expect(total).toBe(4);
    expect(rows).toMatchObject([
      { task_id: b, session_title: 'Second', cwd: '/workspace', archived: 1 },
    ]);
  });

  test('of sessions include their tasks', async () => {
    let time = 1000;
    const store = await engine.open({ now: () => time++ });
    const [one, two] = [await newSession(store, 'Doors'), await newSession(store, '窓')];
    const run = await claimedRun(store, await queuePrompt(store, one));
    const action = { type: 'command' as const, command: 'rm' };
    const request = { requestId: 'r', tool: 'Bash', action, scopes: ['once' as const] };
    await run.say(STARTED, { type: 'permission.requested', ...request });
    const later = await queuePrompt(store, one);
    const list = async (query: object) => {
      const { rows, total } = await store.sessionList({ archived: false, ...PAGE, ...query });
      expect(total).toBe(rows.length);
      return rows;
    };
    const none = {
      open_tasks: 0,
      pending_requests: 0,
      last_task_status: null,
      last_task_error: null,
    };
    expect(await list({})).toMatchObject([
      {
        session_id: one,
        open_tasks: 2,
        pending_requests: 1,
        last_task_status: 'AWAITING_PERMISSION',
      },
      { session_id: two, ...none },
    ]);
    const ids = async (query: object) => (await list(query)).map(({ session_id }) => session_id);
    expect(await ids({ search: 'dOOr' })).toEqual([one]);
    expect(await ids({ search: '窓' })).toEqual([two]);
    expect(await ids({ search: 'WORK' })).toEqual([one, two]);
    expect(await ids({ search: 'work door' })).toEqual([one]);
    expect(await ids({ search: ' ' })).toEqual([one, two]);
    expect(await ids({ cwd: '/workspace' })).toEqual([one, two]);
    expect(await ids({ backend: 'codex' })).toEqual([]);
    expect(await ids({ createdBy: 'somebody' })).toEqual([]);
    expect(await ids({ archived: true })).toEqual([]);
    expect(await store.sessionList({ archived: false, limit: 1, offset: 1 })).toMatchObject({
      rows: [{ session_id: two }],
      total: 2,
    });
    // Of what has not ended that which matters most; then what ended last.
    const status = async () => (await list({ search: 'door' }))[0]?.last_task_status;
    await run.say({ type: 'permission.resolved', requestId: 'r', decision: 'allow', by: 'policy' });
    expect(await status()).toBe('RUNNING');
    await cancel(store, one, later);
    expect(await status()).toBe('RUNNING');
    await run.send(run.next(DONE).map((event) => ({ ...event, time: 5000 })));
    expect(await status()).toBe('COMPLETED');
    const last = await queuePrompt(store, one);
    expect(await status()).toBe('QUEUED');
    time = 6000;
    await cancel(store, one, last);
    expect(await status()).toBe('CANCELLED');
  });
});

function cancel(store: Store, sessionId: string, taskId: string): Promise<void> {
  return store.log.append(sessionId, (state) => {
    const task = state.tasks.get(taskId);
    if (!task) throw new Error('The task is over.');
    const drafts = endingOf(state, task, { outcome: 'cancelled' }, store.now());
    return { drafts, result: undefined };
  });
}
