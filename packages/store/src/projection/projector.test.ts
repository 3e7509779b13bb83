import { type Entry, foldTranscript, type LogEvent } from '@baton/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endingOf } from '../log/end-task.ts';
import type { Store } from '../open-store.ts';
import { onBothEngines, type TestEngine } from '../testing/engines.ts';
import {
  claimedRun,
  DONE,
  message,
  newSession,
  queuePrompt,
  STARTED,
  startedRun,
} from '../testing/session.ts';

async function wholeLog(store: Store, sessionId: string): Promise<LogEvent[]> {
  return (await store.log.read(sessionId, 0, 1_000_000)).events;
}

const transcript = (store: Store, sessionId: string): Promise<Entry[]> =>
  store.entries(sessionId, { limit: 1000 });

/** JSON leaves away what is undefined. */
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

onBothEngines('what is derived from the log', (engine) => {
  test('is the transcript that the events fold into', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    await run.say(STARTED, ...message('m', 'Hel', 'lo'));
    const action = { type: 'command' as const, command: 'ls' };
    await run.say({ type: 'tool.started', callId: 'c', name: 'Bash', action });
    await run.say({ type: 'tool.updated', callId: 'c', output: 'a.txt' });
    const folded = foldTranscript(await wholeLog(store, run.sessionId));
    expect(await transcript(store, run.sessionId)).toEqual(plain(folded));
    expect(folded.at(-1)).toMatchObject({ kind: 'tool', output: 'a.txt', open: true });
  });

  test('shows a long message whole while it is still being said', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    await run.say(STARTED, { type: 'message.started', messageId: 'm', kind: 'text' });
    let text = '';
    for (let n = 0; n < 300; n++) {
      const piece = `piece ${n}, `;
      text += piece;
      await run.say({ type: 'message.delta', messageId: 'm', kind: 'text', text: piece });
    }
    expect((await transcript(store, run.sessionId)).at(-1)).toMatchObject({ text, open: true });
  });

  test('is the same for a process that opens the database later', async () => {
    const url = await engine.database();
    const store = await engine.open({ url });
    const run = await startedRun(store);
    const [started, ...rest] = message('m', ...Array.from({ length: 100 }, (_, n) => `${n} `));
    if (!started) throw new Error('unreachable');
    await run.say(STARTED, started, ...rest.slice(0, 60));
    await store.close();
    const again = await engine.open({ url });
    await run.send(run.next(...rest.slice(60)), again);
    const folded = foldTranscript(await wholeLog(again, run.sessionId));
    expect(await transcript(again, run.sessionId)).toEqual(plain(folded));
  });

  test('says of a task what became of it', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    const task = () => store.records.tasks.get(run.taskId);
    await run.say(STARTED, { type: 'run.identified', nativeSessionId: 'native' });
    expect(await task()).toMatchObject({ status: 'RUNNING', native_session_id: 'native' });
    await run.say({
      type: 'permission.requested',
      requestId: 'r',
      tool: 'Bash',
      action: { type: 'command', command: 'rm' },
      scopes: ['once'],
    });
    expect(await task()).toMatchObject({ status: 'AWAITING_PERMISSION', pending_requests: 1 });
    expect(await store.records.requests.find({ where: { status: 'pending' } })).toHaveLength(1);
    await run.say({ type: 'permission.resolved', requestId: 'r', decision: 'allow', by: 'policy' });
    expect(await task()).toMatchObject({ status: 'RUNNING', pending_requests: 0 });
    expect(await store.records.requests.find({ where: { status: 'pending' } })).toEqual([]);
    const usage = { inputTokens: 3, outputTokens: 4, costUsd: 0.5 };
    await run.say({ ...DONE, usage });
    expect(await task()).toMatchObject({ status: 'COMPLETED', outcome: 'done', output: 'ok' });
    expect(await store.records.sessions.get(run.sessionId)).toMatchObject({
      native_session_id: 'native',
      input_tokens: 3,
      output_tokens: 4,
      cost_usd: 0.5,
      cost_estimated: 0,
    });
  });

  test('a session whose cost contains an estimate says so', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    await run.say(STARTED, { ...DONE, usage: { costUsd: 0.5, costEstimated: true } });
    const session = () => store.records.sessions.get(run.sessionId);
    expect(await session()).toMatchObject({ cost_usd: 0.5, cost_estimated: 1 });
  });

  test('knows the native session together with the agent whose it is', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    const { sessionId } = run;
    await run.say(STARTED, { type: 'run.identified', nativeSessionId: 'of demo' }, DONE);
    const missing = { code: 'backend_missing', message: 'There is no other.', retryable: false };
    const other = await claimedRun(store, await queuePrompt(store, sessionId, 'Hi', 'other'));
    await other.say({ ...STARTED, backend: 'other' });
    await other.say({ ...DONE, outcome: 'failed', error: missing });
    const native = { native_session_id: 'of demo', native_backend: 'demo' };
    expect(await store.records.sessions.get(sessionId)).toMatchObject(native);
    const again = await claimedRun(store, await queuePrompt(store, sessionId, 'Hi', 'other'));
    await again.say({ type: 'run.identified', nativeSessionId: 'of other' });
    const after = await store.records.sessions.get(sessionId);
    expect(after).toMatchObject({ native_session_id: 'of other', native_backend: 'other' });
    await store.rebuild();
    expect(await store.records.sessions.get(sessionId)).toEqual(after);
  });

  test('accepts an event that changes nothing', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    const stop = () =>
      store.log.append(run.sessionId, () => ({
        drafts: [{ type: 'stop.requested', taskId: run.taskId }],
        result: undefined,
      }));
    await stop();
    await stop();
    expect(await store.records.tasks.get(run.taskId)).toMatchObject({ status: 'STOPPING' });
    expect(await wholeLog(store, run.sessionId)).toHaveLength(5);
  });

  test('keeps the first 120 characters of a prompt as its description', async () => {
    const store = await engine.open();
    const prompt = 'x'.repeat(200);
    const taskId = await queuePrompt(store, await newSession(store), prompt);
    const task = await store.records.tasks.get(taskId);
    expect(task).toMatchObject({ full_prompt: prompt, description: prompt.slice(0, 120) });
  });

  test('names a session after the first line of its first prompt, unless it has a name', async () => {
    const store = await engine.open();
    const titleAfter = async (title: string, ...prompts: string[]) => {
      const sessionId = await newSession(store, title);
      for (const prompt of prompts) await queuePrompt(store, sessionId, prompt);
      return (await store.records.sessions.get(sessionId))?.title;
    };
    expect(await titleAfter('')).toBe('');
    expect(await titleAfter('', '\n  Mend the door. \r\nIt creaks.', 'Thanks')).toBe(
      'Mend the door.',
    );
    expect(await titleAfter('Doors', 'Mend the door.')).toBe('Doors');
    expect(await titleAfter('', 'x'.repeat(200))).toBe(`${'x'.repeat(119)}…`);
    expect(await titleAfter('', 'x'.repeat(120))).toBe('x'.repeat(120));
    expect(await titleAfter('', `${'x'.repeat(118)}🚪🚪`)).toBe(`${'x'.repeat(118)}…`);
    expect(await titleAfter('', 'a\0b')).toBe('a\uFFFDb');
    const before = await store.records.sessions.find();
    await store.rebuild();
    expect(await store.records.sessions.find()).toEqual(before);
  });

  test('ends completely when the executor can no longer report', async () => {
    const store = await engine.open({ now: () => 5000 });
    const run = await startedRun(store);
    const action = { type: 'command' as const, command: 'sleep 60' };
    await run.say(
      STARTED,
      { type: 'message.started', messageId: 'a:b', kind: 'text' },
      { type: 'message.delta', messageId: 'a:b', kind: 'text', text: 'I will' },
      { type: 'tool.started', callId: 'c', name: 'Bash', action },
      { type: 'permission.requested', requestId: 'r', tool: 'Bash', action, scopes: ['once'] },
    );
    const error = { code: 'interrupted', message: 'Gone.', retryable: false };
    await store.log.append(run.sessionId, (state) => {
      const task = state.tasks.get(run.taskId);
      if (!task) throw new Error('unreachable');
      return { drafts: endingOf(state, task, { outcome: 'failed', error }, 5000), result: 0 };
    });
    const entries = await transcript(store, run.sessionId);
    expect(entries.filter(({ open }) => open)).toEqual([]);
    expect(entries.map(({ kind }) => kind)).toEqual([
      'prompt',
      'text',
      'tool',
      'permission',
      'result',
    ]);
    expect(entries[1]).toMatchObject({ text: 'I will', incomplete: true });
    expect(await store.records.tasks.get(run.taskId)).toMatchObject({ status: 'FAILED' });
    expect(await store.leases.get(run.taskId)).toBeUndefined();
    await expect(run.say(DONE)).rejects.toMatchObject({ code: 'lease_lost' });
  });

  test('is rebuilt from the log with identical rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const store = await engine.open({ now: () => 7 });
        const run = await startedRun(store);
        await run.say(STARTED);
        for (const each of steps) await run.say(...each);
        await run.say(DONE);
        const before = await derived(store, run.sessionId);
        await store.rebuild();
        expect(await derived(store, run.sessionId)).toEqual(before);
        await store.close();
      }),
      { numRuns: runs(engine), seed: 42 },
    );
  });
});

/** A new database for each run: on PostgreSQL that takes a moment. */
const runs = ({ kind }: TestEngine) => (kind === 'sqlite' ? 60 : 3);

type Said = Parameters<Awaited<ReturnType<typeof startedRun>>['say']>;

const id = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Said> = fc.oneof(
  fc
    .tuple(id, fc.array(fc.string({ unit: 'binary', maxLength: 2000 }), { maxLength: 5 }))
    .map(([messageId, pieces]): Said => message(messageId, ...pieces)),
  fc.tuple(id, fc.string()).map(([callId, output]): Said => {
    const action = { type: 'command' as const, command: 'ls' };
    return [
      { type: 'tool.started', callId, name: 'Bash', action },
      { type: 'tool.updated', callId, output },
      { type: 'tool.completed', callId, name: 'Bash', action, outcome: 'ok', output },
    ];
  }),
  fc.tuple(id).map(([requestId]): Said => {
    const action = { type: 'command' as const, command: 'rm' };
    return [
      { type: 'permission.requested', requestId, tool: 'Bash', action, scopes: ['once'] },
      { type: 'permission.resolved', requestId, decision: 'allow', by: 'policy' },
    ];
  }),
  fc
    .array(fc.string(), { maxLength: 3 })
    .map(
      (texts): Said => [
        { type: 'plan.updated', entries: texts.map((text) => ({ text, status: 'pending' })) },
      ],
    ),
  fc.nat().map((inputTokens): Said => [{ type: 'usage.updated', usage: { inputTokens } }]),
  fc.string().map((line): Said => [{ type: 'unparsed', source: 'stdout', line }]),
);

async function derived(store: Store, sessionId: string) {
  const where = { session_id: sessionId };
  return {
    sessions: await store.records.sessions.find({ where }),
    tasks: await store.records.tasks.find({ where }),
    requests: await store.records.requests.find({ where }),
    entries: await transcript(store, sessionId),
  };
}
