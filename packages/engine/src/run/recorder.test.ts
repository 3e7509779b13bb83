import type { AgentEvent, ErrorInfo, Outcome } from '@baton/protocol';
import { errorInfo, OUTCOMES } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { anyDraft } from '../../../agents/src/testing/drafts.ts';
import { heapInUse } from '../../../agents/src/testing/memory.ts';
import type { EventDraft } from '../definition/dialect.ts';
import { brokenPromises } from './event-promises.ts';
import { Recorder } from './recorder.ts';

/** Records some drafts as one whole run. */
function record(drafts: readonly EventDraft[], outcome: Outcome = 'done', error?: ErrorInfo) {
  const events: AgentEvent[] = [];
  const recorder = new Recorder('run', (event) => events.push(event));
  recorder.started({ backend: 'b', transport: 't', cwd: '/' });
  for (const draft of drafts) recorder.emit(draft);
  const result = recorder.complete({ outcome, error });
  return { events, result, recorder };
}

/** The drafts as events, without what every event carries. */
function told(drafts: readonly EventDraft[], outcome?: Outcome): object[] {
  return record(drafts, outcome)
    .events.slice(1, -1)
    .map(({ seq: _seq, time: _time, runId: _runId, ...body }) => body);
}

describe('whatever an agent emits, in whatever order, the stream fulfils its guarantees', () => {
  test('any drafts', () => {
    fc.assert(
      fc.property(
        fc.array(anyDraft, { maxLength: 60 }),
        fc.constantFrom(...OUTCOMES),
        (drafts, outcome) => {
          expect(brokenPromises(record(drafts, outcome).events)).toEqual([]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('no text of a message is lost', () => {
    fc.assert(
      fc.property(fc.array(anyDraft, { maxLength: 30 }), (drafts) => {
        const heard = drafts.filter((draft) => draft.type === 'message.delta');
        const { events } = record(drafts);
        const shown = events.filter((event) => event.type === 'message.delta');
        expect(shown.length).toBeGreaterThanOrEqual(heard.filter(({ text }) => text).length);
      }),
    );
  });

  test('notices, plans and unparsed lines pass as they are', () => {
    fc.assert(
      fc.property(fc.array(anyDraft, { maxLength: 30 }), (drafts) => {
        const types = ['notice', 'plan.updated', 'unparsed', 'usage.updated', 'file.changed'];
        const plain = drafts.filter(({ type }) => types.includes(type));
        const events = told(drafts).filter((event) => types.includes((event as AgentEvent).type));
        expect(events).toEqual(plain);
      }),
    );
  });
});

test('a tool that only waited for a yes when the agent left was cancelled', () => {
  const tool = (callId: string): EventDraft => {
    return { type: 'tool.started', callId, name: 'Bash', action: { type: 'other' } };
  };
  const { events } = record(
    [
      tool('ran'),
      tool('waited'),
      {
        type: 'permission.requested',
        requestId: 'r',
        callId: 'waited',
        tool: 'Bash',
        action: { type: 'other' },
        scopes: ['once'],
      },
    ],
    'failed',
  );
  const ends = events.filter((event) => event.type === 'tool.completed');
  expect(ends.map(({ callId, outcome }) => [callId, outcome])).toEqual([
    ['ran', 'error'],
    ['waited', 'cancelled'],
  ]);
});

describe('messages', () => {
  const hi: EventDraft[] = [
    { type: 'message.started', messageId: 'a', kind: 'text' },
    { type: 'message.delta', messageId: 'a', text: 'Hi' },
  ];

  test('a character that is cut between two deltas stays whole', () => {
    const delta = (text: string): EventDraft => ({ type: 'message.delta', messageId: 'a', text });
    const [first = '', second = ''] = '😀'.split('');
    const { events, result } = record([delta(`Hi ${first}`), delta(second), delta(`!${first}`)]);
    const deltas = events.filter((event) => event.type === 'message.delta');
    expect(deltas.map(({ text }) => text)).toEqual(['Hi ', '😀', '!', first]);
    expect(result.output).toBe(`Hi 😀!${first}`);
    const whole: EventDraft = { type: 'message.completed', messageId: 'a', text: 'Hi 😀' };
    expect(record([delta('Hi '), delta(first), whole]).result.output).toBe('Hi 😀');
  });

  test('the text is put together from the deltas', () => {
    const end: EventDraft = { type: 'message.completed', messageId: 'a' };
    const more: EventDraft = { type: 'message.delta', messageId: 'a', text: ' there' };
    const { events, recorder } = record([...hi, more, end]);
    expect(events.at(-2)).toMatchObject({ type: 'message.completed', text: 'Hi there' });
    expect(recorder.lastText).toBe('Hi there');
  });

  test('text that only the end has is emitted as one more delta', () => {
    expect(told([...hi, { type: 'message.completed', messageId: 'a', text: 'Hi there' }])).toEqual([
      { type: 'message.started', messageId: 'a', kind: 'text' },
      { type: 'message.delta', messageId: 'a', kind: 'text', text: 'Hi' },
      { type: 'message.delta', messageId: 'a', kind: 'text', text: ' there' },
      { type: 'message.completed', messageId: 'a', kind: 'text', text: 'Hi there' },
    ]);
  });

  test('white space that only the end omits is not a correction', () => {
    const said: EventDraft = { type: 'message.delta', messageId: 'a', text: ' \n' };
    const end: EventDraft = { type: 'message.completed', messageId: 'a', text: 'Hi' };
    expect(told([...hi, said, end]).at(-1)).toMatchObject({ text: 'Hi \n' });
  });

  test('a text that contradicts its deltas becomes a separate message, and the answer', () => {
    const { events, result } = record([
      ...hi,
      { type: 'message.completed', messageId: 'a', text: 'Good day' },
    ]);
    expect(events.slice(3, -1)).toMatchObject([
      { type: 'message.completed', messageId: 'a', text: 'Hi', incomplete: true },
      { type: 'message.started', messageId: 'a+', kind: 'text', synthetic: true },
      { type: 'message.delta', messageId: 'a+', text: 'Good day' },
      { type: 'message.completed', messageId: 'a+', text: 'Good day' },
    ]);
    expect(result.output).toBe('Good day');
  });

  test('a message that was not announced is announced', () => {
    expect(told([{ type: 'message.delta', messageId: 'x', text: 'Boo' }])).toMatchObject([
      { type: 'message.started', messageId: 'x', kind: 'text', synthetic: true },
      { type: 'message.delta', text: 'Boo' },
      { type: 'message.completed', text: 'Boo', incomplete: true, synthetic: true },
    ]);
  });

  test('a message that comes whole and unannounced is not lost', () => {
    const whole: EventDraft = { type: 'message.completed', messageId: 'x', text: 'All of it' };
    expect(told([whole])).toMatchObject([
      { type: 'message.started', messageId: 'x', kind: 'text', synthetic: true },
      { type: 'message.delta', text: 'All of it' },
      { type: 'message.completed', text: 'All of it' },
    ]);
  });

  test('the end of a message that has ended already says nothing new', () => {
    const end: EventDraft = { type: 'message.completed', messageId: 'a', text: 'Hi' };
    expect(told([...hi, end, end])).toEqual(told([...hi, end]));
  });

  test('an empty delta emits nothing', () => {
    expect(told([{ type: 'message.delta', messageId: 'x', text: '' }])).toEqual([]);
  });

  test('thinking and messages of sub-agents are not the answer', () => {
    const { recorder } = record([
      ...hi,
      { type: 'message.completed', messageId: 'a' },
      { type: 'message.started', messageId: 't', kind: 'thinking' },
      { type: 'message.completed', messageId: 't', text: 'Hm' },
      { type: 'message.started', messageId: 's', kind: 'text', parentId: 'call' },
      { type: 'message.completed', messageId: 's', text: 'Sub' },
    ]);
    expect(recorder.lastText).toBe('Hi');
  });

  test('the open message of a stopped run is its output', () => {
    expect(record(hi, 'cancelled').result.output).toBe('Hi');
  });
});

describe('tools', () => {
  const ls: EventDraft = {
    type: 'tool.started',
    callId: 'c',
    name: 'shell',
    action: { type: 'command', command: 'ls' },
    parentId: 'p',
  };

  test('the end of a tool has the name, action and parent of its start', () => {
    const end: EventDraft = { type: 'tool.completed', callId: 'c', outcome: 'ok' };
    expect(told([ls, end]).at(-1)).toMatchObject({
      name: 'shell',
      action: { type: 'command', command: 'ls' },
      parentId: 'p',
      durationMs: expect.any(Number),
    });
  });

  describe('an output of more than 1 MiB', () => {
    const LIMIT = 1024 * 1024;
    const ended = (output: string, more: object = {}) =>
      told([ls, { type: 'tool.completed', callId: 'c', outcome: 'ok', output, ...more }])[1];

    test('is cut for every agent', () => {
      expect(ended(`${'é'.repeat(LIMIT)}rest`)).toMatchObject({
        output: `${'é'.repeat(LIMIT)}\n[4 more characters]`,
      });
    });

    test('keeps the path and size of the full output if the agent reports them', () => {
      const wholeOutput = { path: '/tmp/out.txt', bytes: 9_000_000 };
      expect(ended('x'.repeat(LIMIT + 1), { wholeOutput })).toMatchObject({ wholeOutput });
    });

    test('is not cut in the middle of a character', () => {
      expect(ended(`${'x'.repeat(LIMIT - 1)}🎼`)).toMatchObject({
        output: `${'x'.repeat(LIMIT - 1)}\n[2 more characters]`,
      });
    });

    test('differs from one that just fits', () => {
      const output = 'x'.repeat(LIMIT);
      expect(ended(output)).toMatchObject({ output });
    });
  });

  test('the time of a tool is without that in which a person was asked about it', () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const events: AgentEvent[] = [];
    const recorder = new Recorder('run', (event) => events.push(event));
    const after = (ms: number, draft: EventDraft) => {
      vi.advanceTimersByTime(ms);
      recorder.emit(draft);
    };
    const { name: tool, action } = ls as Extract<EventDraft, { type: 'tool.started' }>;
    const request = { requestId: 'r', tool, action, scopes: ['once' as const] };
    after(0, ls);
    after(100, { type: 'permission.requested', callId: 'c', ...request });
    after(1000, { type: 'permission.requested', callId: 'another', ...request, requestId: 's' });
    after(8000, {
      ...{ type: 'permission.resolved', requestId: 'r', decision: 'allow' },
      ...{ scope: 'once', by: 'person' },
    });
    after(20, { type: 'tool.completed', callId: 'c', outcome: 'ok' });
    expect(events.at(-1)).toMatchObject({ type: 'tool.completed', durationMs: 120 });
  });

  test('a better description from an update is kept', () => {
    const action = { type: 'command', command: 'ls -l' } as const;
    const update: EventDraft = { type: 'tool.updated', callId: 'c', action };
    const end: EventDraft = { type: 'tool.completed', callId: 'c', outcome: 'ok' };
    expect(told([ls, update, end]).at(-1)).toMatchObject({ action });
  });

  test.each([
    ['done', 'error'],
    ['failed', 'error'],
    ['cancelled', 'cancelled'],
    ['timed_out', 'cancelled'],
  ] as const)('a tool that is open when the run is %s ends as %s', (outcome, ended) => {
    expect(told([ls], outcome).at(-1)).toMatchObject({ outcome: ended, synthetic: true });
  });

  test('a result without a call gets one', () => {
    expect(told([{ type: 'tool.completed', callId: 'x', outcome: 'ok', name: 'n' }])).toMatchObject(
      [
        {
          type: 'tool.started',
          callId: 'x',
          name: 'n',
          action: { type: 'other' },
          synthetic: true,
        },
        { type: 'tool.completed', callId: 'x', outcome: 'ok' },
      ],
    );
  });

  test('a second result of the same call is not a second call', () => {
    const end: EventDraft = { type: 'tool.completed', callId: 'c', outcome: 'ok' };
    expect(told([ls, end, end])).toHaveLength(2);
  });

  test('a second result that comes a thousand calls later is not a second call either', () => {
    const end = (callId: string): EventDraft => ({ type: 'tool.completed', callId, outcome: 'ok' });
    const others = Array.from({ length: 1000 }, (_, n) => end(`other ${n}`));
    expect(told([ls, end('c'), ...others, end('c')])).toHaveLength(2 + 2 * others.length);
  });

  test('a name that is used again is a new call', () => {
    const end: EventDraft = { type: 'tool.completed', callId: 'c', outcome: 'ok' };
    expect(told([ls, end, ls, end])).toHaveLength(4);
  });

  test('a tool that fails after its permission was denied was denied', () => {
    const ask: EventDraft = {
      type: 'permission.requested',
      requestId: 'r',
      callId: 'c',
      tool: 'shell',
      action: { type: 'other' },
      scopes: [],
    };
    const no: EventDraft = {
      type: 'permission.resolved',
      requestId: 'r',
      decision: 'deny',
      by: 'person',
    };
    const end: EventDraft = { type: 'tool.completed', callId: 'c', outcome: 'error' };
    expect(told([ls, ask, no, end]).at(-1)).toMatchObject({ outcome: 'denied' });
    expect(told([ls, ask, end]).at(-2)).toMatchObject({ outcome: 'error' });
    // What a stop refused nobody denied.
    for (const outcome of ['error', 'denied'] as const) {
      const stopped = told([ls, ask, { ...no, by: 'stop' }, { ...end, outcome }]);
      expect(stopped.at(-1)).toMatchObject({ outcome: 'cancelled' });
    }
  });
});

describe('the run as a whole', () => {
  test('events after the end are dropped', () => {
    const { events, recorder } = record([]);
    recorder.emit({ type: 'message.delta', messageId: 'a', text: 'late' });
    expect(recorder.ended).toBe(true);
    expect(events.at(-1)?.type).toBe('run.completed');
  });

  test('the same session is named once, another one again', () => {
    const named = (nativeSessionId: string): EventDraft => ({
      type: 'run.identified',
      nativeSessionId,
    });
    expect(told([named('a'), named('a'), named('b'), named('a')])).toEqual(
      ['a', 'b', 'a'].map(named),
    );
  });

  test('session facts that arrive later are emitted too, but nothing twice', () => {
    const named = { type: 'run.identified', nativeSessionId: 'a' } as const;
    const model = { ...named, model: 'm' };
    const version = { ...named, version: '1' };
    expect(told([named, model, named, model, version, model])).toEqual([named, model, version]);
  });

  test('no dialect can forge the number, time or run of an event', () => {
    const forged = {
      type: 'notice',
      level: 'info',
      code: 'x',
      message: '',
      seq: 99,
      runId: 'evil',
    };
    const { events } = record([forged as EventDraft]);
    expect(events[1]).toMatchObject({ seq: 2, runId: 'run' });
  });

  test('a run that failed without a reason still has an error', () => {
    for (const outcome of OUTCOMES) {
      const { result } = record([], outcome);
      expect(result.error === undefined).toBe(outcome === 'done');
    }
  });

  test('the last reported usage is used when the end has none', () => {
    const usage = { type: 'usage.updated', usage: { totalTokens: 5 } } as const;
    expect(record([usage], 'cancelled').result.usage).toEqual({ totalTokens: 5 });
  });
});

test.each(['ok', 'error', 'cancelled'] as const)(
  'a tool that was open at the stop is cancelled, although its agent says %s',
  (outcome) => {
    const events: AgentEvent[] = [];
    const recorder = new Recorder('run', (event) => events.push(event));
    const tool = (callId: string) =>
      ({ type: 'tool.started', callId, name: 'n', action: { type: 'other' } }) as const;
    recorder.emit(tool('before'));
    recorder.emit({ type: 'tool.completed', callId: 'before', outcome: 'ok' });
    recorder.emit(tool('open'));
    recorder.stopTools();
    recorder.emit({ type: 'tool.completed', callId: 'open', outcome });
    const outcomes = events.flatMap((event) =>
      event.type === 'tool.completed' ? [event.outcome] : [],
    );
    expect(outcomes).toEqual(['ok', 'cancelled']);
  },
);

describe('counts of no token', () => {
  const zero = { inputTokens: 0, outputTokens: 0, totalTokens: 0, costUsd: 0, costEstimated: true };
  const says: EventDraft = { type: 'message.completed', messageId: 'm', text: 'Half an ans' };
  const calls: EventDraft = { type: 'tool.completed', callId: 'c', outcome: 'ok' };
  const used = (usage: object): EventDraft => ({ type: 'usage.updated', usage });

  test.each([
    ['after a text', [says, used(zero)]],
    ['after a tool', [calls, used(zero)]],
    ['before them', [used(zero), calls, says]],
  ])('are not reported %s', (_name, drafts) => {
    const cut = errorInfo('provider_error', 'The connection was closed.');
    expect(record(drafts, 'cancelled').result.usage).toBeUndefined();
    expect(record(drafts, 'timed_out').result.usage).toBeUndefined();
    expect(record(drafts, 'failed', cut).result.usage).toBeUndefined();
  });

  test('are true of a command of the agent, and of an error that it reports as text', () => {
    const refused = errorInfo('auth_missing', 'Not logged in.');
    expect(record([says, used(zero)], 'done').result.usage).toEqual(zero);
    expect(record([says, used(zero)], 'failed', refused).result.usage).toEqual(zero);
    expect(record([calls, says, used(zero)], 'done').result.usage).toBeUndefined();
    expect(record([calls, used(zero)], 'failed', refused).result.usage).toBeUndefined();
  });

  test('leave what is known of the context', () => {
    const known = { ...zero, contextWindow: 1000, contextTokens: 10 };
    const { usage } = record([says, used(known)], 'cancelled').result;
    expect(usage).toEqual({ contextWindow: 1000, contextTokens: 10 });
  });

  test.each([
    ['of a run in which the model did nothing', [used(zero)], zero],
    ['beside a cost', [says, used({ ...zero, costUsd: 1 })], { ...zero, costUsd: 1 }],
    ['in one place only', [says, used({ inputTokens: 0 })], { inputTokens: 0 }],
  ])('stay %s', (_name, drafts, usage) => {
    expect(record(drafts, 'failed').result.usage).toEqual(usage);
  });
});

test('a tool that starts after the stop is cancelled if it fails, and done if it was', () => {
  const outcomes: string[] = [];
  const recorder = new Recorder('run', (event) => {
    if (event.type === 'tool.completed') outcomes.push(`${event.callId} ${event.outcome}`);
  });
  const start = (callId: string) =>
    recorder.emit({ type: 'tool.started', callId, name: 'n', action: { type: 'other' } });
  const end = (callId: string, outcome: 'ok' | 'error') =>
    recorder.emit({ type: 'tool.completed', callId, outcome });
  start('before');
  recorder.stopTools();
  for (const callId of ['failed', 'done']) start(callId);
  end('before', 'ok');
  end('failed', 'error');
  end('done', 'ok');
  expect(outcomes).toEqual(['before cancelled', 'failed cancelled', 'done ok']);
});

test('the deltas of a long message take little more memory than its text', () => {
  const recorder = new Recorder('run', () => {});
  const before = heapInUse();
  let length = 0;
  for (let line = 0; line < 200_000; line += 1) {
    const text = `\n${`Line ${line} of a long answer.`}`;
    length += text.length;
    recorder.emit({ type: 'message.delta', messageId: 'm', text });
  }
  expect(heapInUse() - before).toBeLessThan(length * 1.5);
  expect(recorder.complete({ outcome: 'done' }).output).toHaveLength(length);
});
