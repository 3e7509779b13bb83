import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVENT_TYPES, eventSchema } from './event.ts';
import { SAMPLE_EVENTS } from './testing/sample-events.ts';

const envelope = { seq: 1, time: 0, runId: 'r' };

/** The event as another program would read it. */
function travelled(event: unknown): unknown {
  return eventSchema.parse(JSON.parse(JSON.stringify(event)));
}

describe('every event survives the way over the wire', () => {
  test('there is a sample of every type', () => {
    expect(SAMPLE_EVENTS.map(({ type }) => type)).toEqual(EVENT_TYPES);
  });

  test.each(SAMPLE_EVENTS.map((event) => [event.type, event] as const))('%s', (_type, event) => {
    expect(travelled(event)).toEqual(event);
  });
});

describe('a newer writer does not break an older reader', () => {
  test('an event of an unknown type keeps all its fields', () => {
    const event = { ...envelope, type: 'moon.landed', who: { first: 'Neil' }, list: [1, null] };
    expect(travelled(event)).toEqual(event);
  });

  test('unknown fields are kept on every event, whatever they contain', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SAMPLE_EVENTS),
        fc.stringMatching(/^x_\w{1,8}$/),
        fc.jsonValue({ noUnicodeString: false }),
        (event, name, value) => {
          const event2 = JSON.parse(JSON.stringify({ ...event, [name]: value }));
          expect(travelled(event2)).toEqual(event2);
        },
      ),
    );
  });

  test('unknown fields are kept inside actions, requests, usage and stop reports', () => {
    const inside = [
      { type: 'usage.updated', usage: { totalTokens: 1, thoughts: 2 } },
      {
        type: 'tool.started',
        callId: 'c',
        name: 'n',
        action: { type: 'command', command: 'ls', sandbox: 'on' },
      },
      {
        type: 'tool.started',
        callId: 'c',
        name: 'n',
        action: { type: 'file.edit', changes: [{ path: 'a', kind: 'add', mode: '755' }] },
      },
      {
        type: 'question.requested',
        requestId: 'q',
        questions: [{ id: 'q', question: '?', options: [{ label: 'A', icon: 'x' }], hint: 'h' }],
      },
      { type: 'plan.updated', entries: [{ text: 'a', status: 'pending', owner: 'me' }] },
    ];
    for (const body of inside) expect(travelled({ ...envelope, ...body })).toMatchObject(body);
  });

  test('accepts unknown values of an open enum', () => {
    const events = [
      { type: 'notice', level: 'info', code: 'solar_flare', message: 'm' },
      { type: 'permission.resolved', requestId: 'r', decision: 'postponed', by: 'committee' },
      { type: 'question.resolved', requestId: 'r', by: 'oracle' },
      { type: 'tool.started', callId: 'c', name: 'n', action: { type: 'teleport', to: 'moon' } },
    ];
    for (const body of events) {
      const event = { ...envelope, ...body };
      expect(travelled(event)).toEqual(event);
    }
  });
});

describe('a wrong shape is refused', () => {
  test.each([
    ['a delta without text', { type: 'message.delta', messageId: 'a', kind: 'text' }],
    ['a message of an unknown kind', { type: 'message.started', messageId: 'a', kind: 'song' }],
    ['a run that ended in an unknown way', { type: 'run.completed', outcome: 'won', output: '' }],
    ['a notice without words', { type: 'notice', level: 'info', code: 'status' }],
    [
      'a command without its text',
      { type: 'tool.started', callId: 'c', name: 'n', action: { type: 'command' } },
    ],
    ['a negative number of tokens', { type: 'usage.updated', usage: { inputTokens: -1 } }],
    ['a fraction of a token', { type: 'usage.updated', usage: { outputTokens: 0.5 } }],
    [
      'a plan with an unknown status',
      { type: 'plan.updated', entries: [{ text: '', status: '' }] },
    ],
  ])('%s', (_name, body) => {
    expect(eventSchema.safeParse({ ...envelope, ...body }).success).toBe(false);
  });

  test.each([
    ['no number', { time: 0, runId: 'r' }],
    ['the number 0', { seq: 0, time: 0, runId: 'r' }],
    ['half a number', { seq: 1.5, time: 0, runId: 'r' }],
    ['no run', { seq: 1, time: 0 }],
    ['no time', { seq: 1, runId: 'r' }],
    ['a time that no calendar has', { seq: 1, time: 9e15, runId: 'r' }],
    ['a time before all times', { seq: 1, time: -1, runId: 'r' }],
    ['a fraction of a millisecond', { seq: 1, time: 0.5, runId: 'r' }],
  ])('an event with %s, of a known type and of an unknown one', (_name, head) => {
    const known = { ...head, type: 'run.identified', nativeSessionId: 's' };
    expect(eventSchema.safeParse(known).success).toBe(false);
    expect(eventSchema.safeParse({ ...head, type: 'moon.landed' }).success).toBe(false);
  });

  test('the refusal says where the mistake is', () => {
    const { error } = eventSchema.safeParse({
      ...envelope,
      type: 'usage.updated',
      usage: { inputTokens: 'many' },
    });
    expect(error?.issues[0]?.path).toEqual(['usage', 'inputTokens']);
  });

  test.each([null, 1, 'text', [], {}, { type: 7 }])('%j is not an event', (value) => {
    expect(eventSchema.safeParse(value).success).toBe(false);
  });
});
