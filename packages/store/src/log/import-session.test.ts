import { randomUUID } from 'node:crypto';
import { errorInfo, foldTranscript, type LogEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { Store } from '../open-store.ts';
import { onBothEngines } from '../testing/engines.ts';
import {
  claimNext,
  DONE,
  message,
  queuePrompt,
  STARTED,
  startedRun,
  type TestRun,
} from '../testing/session.ts';

const ENDING = { outcome: 'failed' as const, error: errorInfo('interrupted', 'Moved.') };
const action = { type: 'command' as const, command: 'ls' };

async function logOf(store: Store, sessionId: string): Promise<LogEvent[]> {
  const all: LogEvent[] = [];
  for (let hasMore = true; hasMore; ) {
    const page = await store.log.read(sessionId, all.length, 100_000);
    all.push(...page.events);
    hasMore = page.hasMore;
  }
  return all;
}

async function finishedRun(store: Store): Promise<TestRun> {
  const run = await startedRun(store);
  await run.say(STARTED, ...message('m', 'Hel', 'lo.'), DONE);
  return run;
}

onBothEngines('a session that is imported', (engine) => {
  test('has the same log and the same transcript as where it came from', async () => {
    const [from, to] = [await engine.open(), await engine.open()];
    const { sessionId } = await finishedRun(from);
    const events = await logOf(from, sessionId);
    for (const event of events) await to.imports.take(sessionId, [event]);
    const { endedTasks, isNew } = await to.imports.finish(sessionId, ENDING);
    expect([endedTasks, isNew]).toEqual([0, true]);
    expect(await logOf(to, sessionId)).toEqual(events);
    expect(await to.entries(sessionId, { limit: 100 })).toEqual(foldTranscript(events));
    expect(await to.records.sessions.get(sessionId)).toEqual(
      await from.records.sessions.get(sessionId),
    );
  });

  test('is not seen and not run before it is whole, nor made of the pieces by a rebuild', async () => {
    const [from, to] = [await engine.open(), await engine.open()];
    const { sessionId } = await startedRun(from);
    await queuePrompt(from, sessionId);
    await to.imports.take(sessionId, await logOf(from, sessionId));
    expect(await to.rebuild()).toBe(0);
    expect(await to.records.sessions.count()).toBe(0);
    expect(await claimNext(to)).toBeUndefined();
    const heard: string[] = [];
    to.wakeUps.on('session', (moved) => heard.push(moved.sessionId));
    expect(await to.imports.finish(sessionId, ENDING)).toMatchObject({ endedTasks: 2 });
    expect(heard).toEqual([sessionId]);
    expect(await claimNext(to)).toBeUndefined();
  });

  test('has only ended tasks: open ones are closed, and queued ones never run', async () => {
    const [from, to] = [await engine.open(), await engine.open()];
    const run = await startedRun(from);
    await run.say(STARTED, { type: 'tool.started', callId: 'c', name: 'Bash', action });
    await queuePrompt(from, run.sessionId);
    const events = await logOf(from, run.sessionId);
    await to.imports.take(run.sessionId, events);
    await to.imports.finish(run.sessionId, ENDING);
    const tasks = await to.records.tasks.find({ where: { session_id: run.sessionId } });
    expect(tasks.map(({ status }) => status)).toEqual(['FAILED', 'FAILED']);
    expect(JSON.parse(tasks[0]?.error ?? '')).toMatchObject({ code: 'interrupted' });
    const entries = await to.entries(run.sessionId, { limit: 100 });
    expect(entries.filter(({ open }) => open)).toEqual([]);
    expect((await logOf(to, run.sessionId)).slice(0, events.length)).toEqual(events);
    await to.rebuild();
    expect(await to.entries(run.sessionId, { limit: 100 })).toEqual(entries);
    const more = await queuePrompt(to, run.sessionId);
    expect((await claimNext(to, more))?.task.task_id).toBe(more);
  });

  test('may be sent again, in part or as a whole', async () => {
    const [from, to] = [await engine.open(), await engine.open()];
    const { sessionId } = await finishedRun(from);
    const events = await logOf(from, sessionId);
    const half = Math.floor(events.length / 2);
    await to.imports.take(sessionId, events.slice(0, half));
    await to.imports.take(sessionId, events.slice(1, half + 1));
    expect(await to.imports.take(sessionId, events.slice(half))).toEqual({ cursor: events.length });
    await to.imports.finish(sessionId, ENDING);
    expect(await to.imports.take(sessionId, events)).toEqual({ cursor: events.length });
    expect(await to.imports.finish(sessionId, ENDING)).toMatchObject({ isNew: false });
    expect(await logOf(to, sessionId)).toEqual(events);
  });

  test('may be sent again, however long it is', async () => {
    const [from, to] = [await engine.open(), await engine.open()];
    const run = await startedRun(from);
    await run.say(STARTED);
    for (let n = 0; n < 8; n++) await run.say(...message(`m${n}`, 'x'.repeat(400_000)));
    await run.say(DONE);
    const events = await logOf(from, run.sessionId);
    await to.imports.take(run.sessionId, events);
    await to.imports.finish(run.sessionId, ENDING);
    const cursor = events.length;
    expect(await to.imports.take(run.sessionId, events)).toEqual({ cursor });
    const changed = events.map((event) =>
      event.type === 'run.completed' ? { ...event, time: 0 } : event,
    );
    await expect(to.imports.take(run.sessionId, changed)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test('restarts with its first event, whatever came before', async () => {
    const [from, to] = [await engine.open(), await engine.open()];
    const { sessionId } = await finishedRun(from);
    const events = await logOf(from, sessionId);
    const other = events.map((event) => ({ ...event, time: event.time + 1 }));
    await to.imports.take(sessionId, other);
    await to.imports.take(sessionId, events);
    await to.imports.finish(sessionId, ENDING);
    expect(await logOf(to, sessionId)).toEqual(events);
  });

  test('is refused with a gap, without its beginning, or with two', async () => {
    const [from, to] = [await engine.open(), await engine.open()];
    const { sessionId } = await finishedRun(from);
    const events = await logOf(from, sessionId);
    const [first, second, third] = events;
    if (!first || !second || !third) throw new Error('unreachable');
    await expect(to.imports.take(sessionId, [first, third])).rejects.toThrow('Expected event 2');
    await expect(to.imports.take(sessionId, [second])).rejects.toThrow('Event 1 is missing');
    const again = { ...first, cursor: 2 };
    await expect(to.imports.take(sessionId, [first, again])).rejects.toThrow('must create it');
    await expect(to.imports.finish(sessionId, ENDING)).rejects.toThrow('No events to import');
  });

  test('does not change a session that went another way, nor the tasks of others', async () => {
    const store = await engine.open();
    const run = await finishedRun(store);
    const events = await logOf(store, run.sessionId);
    await expect(
      store.imports.take(
        run.sessionId,
        events.map((event) => ({ ...event, time: 99 })),
      ),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      store.imports.take(run.sessionId, [
        { ...(events.at(-1) as LogEvent), cursor: events.length + 1 },
      ]),
    ).rejects.toMatchObject({ code: 'conflict' });
    const copy = randomUUID();
    await store.imports.take(copy, events);
    await expect(store.imports.finish(copy, ENDING)).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.records.sessions.get(copy)).toBeUndefined();
    expect(await logOf(store, run.sessionId)).toEqual(events);
  });

  test('does not change the requests of others', async () => {
    const [from, to] = [await engine.open(), await engine.open()];
    const asked = { type: 'permission.requested', requestId: 'r', tool: 'Bash', action } as const;
    const theirs = await startedRun(to);
    await theirs.say({ ...asked, scopes: ['once'] });
    const requests = await to.records.requests.find();
    const own = await startedRun(from);
    await own.say({ ...asked, scopes: ['once'] });
    const events = (await logOf(from, own.sessionId)).map((event) =>
      event.type === 'permission.requested' ? { ...event, taskId: theirs.taskId } : event,
    );
    await to.imports.take(own.sessionId, events);
    await expect(to.imports.finish(own.sessionId, ENDING)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await to.records.requests.find()).toEqual(requests);
  });

  test('is forgotten when the rest of it does not come', async () => {
    let time = 1000;
    const [from, to] = [await engine.open(), await engine.open({ now: () => time })];
    const [left, slow, whole] = await Promise.all([1, 2, 3].map(() => finishedRun(from)));
    if (!left || !slow || !whole) throw new Error('unreachable');
    const piece = async ({ sessionId }: TestRun, start: number, end?: number) =>
      to.imports.take(sessionId, (await logOf(from, sessionId)).slice(start, end));
    for (const run of [left, slow, whole]) await piece(run, 0, 3);
    await piece(whole, 3);
    await to.imports.finish(whole.sessionId, ENDING);
    time = 2000;
    await piece(slow, 3);
    expect(await to.imports.removeBefore(1000)).toBe(0);
    expect(await to.imports.removeBefore(1500)).toBe(1);
    await expect(piece(left, 3)).rejects.toThrow('Event 1 is missing');
    expect(await to.imports.finish(slow.sessionId, ENDING)).toMatchObject({ isNew: true });
    expect(await logOf(to, whole.sessionId)).toEqual(await logOf(from, whole.sessionId));
  });
});
