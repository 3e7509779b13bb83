import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openPostgres } from '../engine/postgres.ts';
import { openSqlite } from '../engine/sqlite.ts';
import { appendRun } from '../log/run-events.ts';
import { onBothEngines } from '../testing/engines.ts';
import { claimNext, DONE, newSession, queuePrompt, STARTED, TestRun } from '../testing/session.ts';
import { requeueTask } from './requeue.ts';

onBothEngines('the queue', (engine) => {
  test('claims the tasks of a session one at a time, in order', async () => {
    const store = await engine.open();
    const sessionId = await newSession(store);
    const tasks = [];
    for (const prompt of ['one', 'two', 'three']) {
      tasks.push(await queuePrompt(store, sessionId, prompt));
    }
    expect(await store.queue.waiting()).toBe(3);
    for (const taskId of tasks) {
      expect(await store.queue.isWaiting()).toBe(true);
      const claim = await claimNext(store);
      expect(claim?.task.task_id).toBe(taskId);
      expect(await claimNext(store)).toBeUndefined();
      expect(await store.queue.isWaiting()).toBe(false);
      if (claim) await new TestRun(store, claim).say(STARTED, DONE);
    }
    expect(await store.queue.waiting()).toBe(0);
  });

  test('prefers a session to one that was just served', async () => {
    let time = 1000;
    const store = await engine.open({ now: () => time++ });
    const busy = await newSession(store);
    for (let n = 0; n < 3; n++) await queuePrompt(store, busy);
    const quiet = await newSession(store);
    await queuePrompt(store, quiet);
    const order: (string | undefined)[] = [];
    for (let n = 0; n < 4; n++) {
      const claim = await claimNext(store);
      order.push(claim?.task.session_id);
      if (claim) await new TestRun(store, claim).say(STARTED, DONE);
    }
    expect(order).toEqual([busy, quiet, busy, busy]);
  });

  test('gives each task to one executor under concurrent claims', async () => {
    const url = await engine.database();
    const stores = [await engine.open({ url })];
    // A second handle on one SQLite file would be another process.
    if (engine.kind === 'postgres') stores.push(await engine.open({ url }));
    const [first] = stores;
    if (!first) throw new Error('unreachable');
    for (let n = 0; n < 10; n++) await queuePrompt(first, await newSession(first));
    const claims = await Promise.all(
      Array.from({ length: 30 }, (_, n) => claimNext(stores[n % stores.length] ?? first)),
    );
    let taken = claims.flatMap((claim) => claim?.task.task_id ?? []);
    // A locked session is skipped; the next poll finds it.
    for (let n = 0; n < 10; n++) {
      const claim = await claimNext(first);
      taken = taken.concat(claim?.task.task_id ?? []);
    }
    expect(new Set(taken).size).toBe(10);
    expect(taken).toHaveLength(10);
  });

  test('claims only the requested task, and only when it is next', async () => {
    const store = await engine.open();
    const sessionId = await newSession(store);
    const one = await queuePrompt(store, sessionId);
    const two = await queuePrompt(store, sessionId);
    expect(await claimNext(store, two)).toBeUndefined();
    expect((await claimNext(store, one))?.task.task_id).toBe(one);
  });

  test('marks the task as running, with its executor', async () => {
    const store = await engine.open();
    const taskId = await queuePrompt(store, await newSession(store));
    const claim = await claimNext(store);
    expect(await store.records.tasks.get(taskId)).toMatchObject({
      status: 'RUNNING',
      executor_id: claim?.lease.executor_id,
    });
  });
});

onBothEngines('a lease', (engine) => {
  test('runs out unless it is renewed by its holder', async () => {
    let time = 1000;
    const store = await engine.open({ now: () => time });
    await queuePrompt(store, await newSession(store));
    const claim = await claimNext(store);
    if (!claim) throw new Error('unreachable');
    const { task_id: id, fence } = claim.lease;
    expect(await store.leases.current()).toMatchObject([{ task_id: id, fence }]);
    time += 50_000;
    expect(await store.leases.renew(id, fence, 60_000)).toBe(true);
    expect(await store.leases.renew(id, fence - 1, 60_000)).toBe(false);
    time += 59_000;
    expect(await store.leases.current()).toMatchObject([{ task_id: id, fence }]);
    time += 2000;
    expect(await store.leases.current()).toEqual([]);
  });
});

onBothEngines('a task whose executor is gone', (engine) => {
  test('is queued again in its old place when no agent has seen it', async () => {
    let time = 1000;
    const store = await engine.open({ now: () => time++ });
    const [one, two] = [await newSession(store), await newSession(store)];
    const taskId = await queuePrompt(store, one);
    const behind = await queuePrompt(store, one);
    await queuePrompt(store, two);
    const claim = await claimNext(store);
    if (!claim) throw new Error('unreachable');
    expect(await requeueTask(store.log, claim.lease, { hadExecutor: true })).toBe('requeued');
    expect(await store.records.tasks.get(taskId)).toMatchObject({
      status: 'QUEUED',
      started_at: null,
      executor_id: null,
      position: claim.task.position,
      failed_starts: 1,
    });
    expect(await store.leases.get(taskId)).toBeUndefined();
    const again = await claimNext(store);
    expect(again?.task.task_id).toBe(taskId);
    expect(again?.lease.fence).toBeGreaterThan(claim.lease.fence);
    expect((await store.records.tasks.get(behind))?.status).toBe('QUEUED');
  });

  test('is not queued again once an agent may have seen it', async () => {
    const store = await engine.open();
    await queuePrompt(store, await newSession(store));
    const claim = await claimNext(store);
    if (!claim) throw new Error('unreachable');
    const { task_id: taskId, fence } = claim.lease;
    expect(await store.leases.startAgent(taskId, fence)).toBe(true);
    expect(await requeueTask(store.log, claim.lease, { hadExecutor: true })).toBe('kept');
    expect((await store.records.tasks.get(taskId))?.status).toBe('RUNNING');
  });

  test('is queued again if only its workspace was reported', async () => {
    const store = await engine.open();
    const sessionId = await newSession(store);
    const taskId = await queuePrompt(store, sessionId);
    const claim = await claimNext(store);
    if (!claim) throw new Error('unreachable');
    const { fence } = claim.lease;
    const about = { time: 1, runId: taskId };
    const placed = { ...about, seq: 1, type: 'notice', level: 'info', code: 'workspace' } as const;
    const notice = { ...placed, message: 'Setting up.' };
    await appendRun(store.log, { sessionId, taskId, fence, events: [notice] });
    expect(await requeueTask(store.log, claim.lease, { hadExecutor: true })).toBe('requeued');
    const again = await claimNext(store);
    if (!again) throw new Error('unreachable');
    const said = { ...notice, seq: 2, code: 'other' };
    await appendRun(store.log, {
      ...{ sessionId, taskId, fence: again.lease.fence },
      events: [said],
    });
    expect(await requeueTask(store.log, again.lease, { hadExecutor: true })).toBe('kept');
  });

  test('is not queued again when a daemon of an earlier version has claimed it', async () => {
    const url = await engine.database();
    const store = await engine.open({ url });
    const taskId = await queuePrompt(store, await newSession(store));
    const claim = await claimNext(store);
    if (!claim) throw new Error('unreachable');
    await store.close();
    const raw = engine.kind === 'sqlite' ? openSqlite(url) : openPostgres(url);
    const { session_id, executor_id, daemon_id, fence, expires_at } = claim.lease;
    await sql`delete from leases`.execute(raw.db);
    await sql`insert into leases (task_id, session_id, executor_id, daemon_id, fence, expires_at)
      values (${taskId}, ${session_id}, ${executor_id}, ${daemon_id}, ${fence}, ${expires_at})`.execute(
      raw.db,
    );
    await raw.close();
    const again = await engine.open({ url });
    expect(await requeueTask(again.log, claim.lease, { hadExecutor: true })).toBe('kept');
    expect((await again.records.tasks.get(taskId))?.status).toBe('RUNNING');
  });

  test('prevents the agent from starting once it is requeued', async () => {
    const store = await engine.open();
    const taskId = await queuePrompt(store, await newSession(store));
    const first = await claimNext(store);
    if (!first) throw new Error('unreachable');
    await requeueTask(store.log, first.lease, { hadExecutor: true });
    await claimNext(store);
    expect(await store.leases.startAgent(taskId, first.lease.fence)).toBe(false);
    expect(await store.leases.renew(taskId, first.lease.fence, 60_000)).toBe(false);
  });

  test('fails when its executors keep ending before the agent starts', async () => {
    const store = await engine.open();
    const taskId = await queuePrompt(store, await newSession(store));
    const lose = async (hadExecutor: boolean) => {
      const claim = await claimNext(store);
      return claim && requeueTask(store.log, claim.lease, { hadExecutor });
    };
    // A daemon that dies before it starts an executor does not count.
    for (let n = 0; n < 5; n++) expect(await lose(false)).toBe('requeued');
    expect([await lose(true), await lose(true), await lose(true)]).toEqual([
      'requeued',
      'requeued',
      'gives up',
    ]);
    expect((await store.records.tasks.get(taskId))?.status).toBe('RUNNING');
  });
});
