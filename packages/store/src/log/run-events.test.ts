import type { AgentEvent, RequestAnswer } from '@baton/protocol';
import { expect, test } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { claimNext, DONE, message, STARTED, startedRun } from '../testing/session.ts';
import { appendRun, type Said } from './run-events.ts';

const ASKED: Said = {
  type: 'permission.requested',
  requestId: 'p',
  tool: 'shell',
  action: { type: 'other' },
  scopes: ['once'],
};
const ASKED_BACK: Said = { type: 'question.requested', requestId: 'q', questions: [] };
const ALLOWED = {
  type: 'permission.resolved',
  requestId: 'p',
  decision: 'allow',
  scope: 'once',
  by: 'person',
} as const satisfies Said;
const ANSWERED = {
  type: 'question.resolved',
  requestId: 'q',
  by: 'person',
} as const satisfies Said;

type Given = { requestId: string; answer: RequestAnswer };

/** Resolutions in the name of a person, and the answer that the log has. */
const FORGED_ANSWERS: [what: string, given: Given | undefined, resolved: Said][] = [
  ['it allows in the name of a person', undefined, ALLOWED],
  ['a person denied it', { requestId: 'p', answer: { decision: 'deny' } }, ALLOWED],
  ['a policy answered', { requestId: 'p', answer: { decision: 'allow', by: 'policy' } }, ALLOWED],
  [
    'it allows another input',
    { requestId: 'p', answer: { decision: 'allow', input: { command: 'ls' } } },
    { ...ALLOWED, input: { command: 'rm' }, action: { type: 'command', command: 'rm' } },
  ],
  ['another request was answered', { requestId: 'x', answer: { decision: 'allow' } }, ALLOWED],
  ['it answers a question itself', undefined, { ...ANSWERED, answers: { a: ['B'] } }],
  [
    'a person answered something else',
    { requestId: 'q', answer: { answers: { a: ['A'] } } },
    { ...ANSWERED, answers: { a: ['B'] } },
  ],
];

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

  test('is rejected after a gap, with the number to resend from', async () => {
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

  test('is rejected when the task has ended, unless it only repeats stored events', async () => {
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

  test.each(FORGED_ANSWERS)('is refused when %s', async (_what, given, resolved) => {
    const store = await engine.open();
    const run = await startedRun(store);
    await run.say(STARTED, ASKED, ASKED_BACK);
    const { sessionId, taskId } = run;
    if (given) {
      const drafts = [{ type: 'answer.given' as const, taskId, ...given }];
      await store.log.append(sessionId, () => ({ drafts, result: undefined }));
    }
    const events = run.next(resolved);
    await expect(run.send(events)).rejects.toMatchObject({ code: 'forbidden' });
    const forged: string[] = [];
    const onForgedAnswer = ({ type }: AgentEvent) => forged.push(type);
    await appendRun(store.log, { ...run, events, onForgedAnswer });
    expect(forged).toEqual([resolved.type]);
    const { events: log } = await store.log.read(sessionId, 0, 100);
    expect(log.at(-1)).toMatchObject({ type: resolved.type, by: 'agent' });
    expect(log.at(-1)).not.toHaveProperty('answers');
    expect(log.at(-1)).not.toHaveProperty('scope');
  });

  test('may say that a person answered who did', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    await run.say(STARTED, ASKED, ASKED_BACK);
    const { sessionId, taskId } = run;
    const drafts = [
      {
        type: 'answer.given' as const,
        taskId,
        requestId: 'p',
        answer: { decision: 'allow' as const },
      },
      { type: 'answer.given' as const, taskId, requestId: 'q', answer: { answers: { a: ['A'] } } },
    ];
    await store.log.append(sessionId, () => ({ drafts, result: undefined }));
    await run.say(ALLOWED, { ...ANSWERED, answers: { a: ['A'] } });
    expect(await store.records.requests.find({ where: { status: 'resolved' } })).toHaveLength(2);
  });

  test('releases the lease with its end', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    expect(await store.leases.get(run.taskId)).toMatchObject({ fence: run.fence });
    await run.say(STARTED, DONE);
    expect(await store.leases.get(run.taskId)).toBeUndefined();
    expect(await claimNext(store, run.taskId)).toBeUndefined();
  });
});
