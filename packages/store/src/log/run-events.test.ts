import { expect, test } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { claimNext, DONE, message, STARTED, startedRun } from '../testing/session.ts';
import { appendRun } from './run-events.ts';

onBothEngines('the report of an executor', (engine) => {
  test('is in the log once, however often it is sent', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    const events = run.next(STARTED, ...message('m', 'Hel', 'lo'));
    expect(await run.send(events)).toEqual({ lastSeq: 5 });
    expect(await run.send(events)).toEqual({ lastSeq: 5 });
    expect(await run.send([...events.slice(2), ...run.next(DONE)])).toEqual({ lastSeq: 6 });
    const { events: log } = await store.log.read(run.sessionId, 3, 100);
    expect(log.map((event) => 'seq' in event && event.seq)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('is not taken behind a gap, and the number to send from is told', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    const [first, ...rest] = run.next(STARTED, ...message('m', 'Hi'));
    if (!first) throw new Error('unreachable');
    expect(await run.send(rest)).toEqual({ lastSeq: 0 });
    expect(await run.send([first])).toEqual({ lastSeq: 1 });
    expect(await run.send(rest)).toEqual({ lastSeq: 4 });
  });

  test('is refused without the lease', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    const { sessionId, taskId, fence } = run;
    const report = { sessionId, taskId, fence: fence - 1, events: run.next(STARTED) };
    const refused = appendRun(store.log, report);
    await expect(refused).rejects.toMatchObject({ code: 'lease_lost' });
  });

  test('is refused when the task has ended, unless it only repeats what was taken', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    const events = run.next(STARTED, DONE);
    await run.send(events);
    expect(await run.send(events)).toEqual({ lastSeq: 2 });
    await expect(run.say(...message('late', 'Hi'))).rejects.toMatchObject({ code: 'lease_lost' });
  });

  test('is refused when its events are out of order', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    const [a, b, c] = run.next(STARTED, ...message('m', 'Hi'));
    if (!a || !b || !c) throw new Error('unreachable');
    await expect(run.send([a, c, b])).rejects.toMatchObject({ code: 'usage' });
    await expect(run.send([a, { ...b, runId: 'another' }])).rejects.toMatchObject({
      code: 'usage',
    });
    expect(await run.send([a, b, c])).toEqual({ lastSeq: 3 });
  });

  test('gives the lease back with its end', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    expect(await store.leases.get(run.taskId)).toMatchObject({ fence: run.fence });
    await run.say(STARTED, DONE);
    expect(await store.leases.get(run.taskId)).toBeUndefined();
    expect(await claimNext(store, run.taskId)).toBeUndefined();
  });
});
