import type { AgentEvent } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demoDialects } from '../../../agents/src/backends/demo/dialect.ts';
import { anyDraft } from '../../../agents/src/testing/drafts.ts';
import type { StreamEnd } from '../definition/dialect.ts';
import { brokenPromises } from './event-promises.ts';
import { Replay, recognise } from './replay.ts';

const backend = { id: 'demo', label: 'The demo agent' };
const spoken = [
  { type: 'run.identified', nativeSessionId: 's-1' },
  { type: 'message.started', messageId: 'm', kind: 'text' },
  { type: 'message.delta', messageId: 'm', text: 'Hello.' },
  { type: 'message.completed', messageId: 'm' },
  { type: 'turn.completed', verdict: { outcome: 'done', usage: { totalTokens: 2 } } },
].map((line) => JSON.stringify(line));

/** A line with a call whose input has many levels; `JSON.stringify` could not write it. */
function deepCall(levels: number): string {
  const input = '['.repeat(levels) + ']'.repeat(levels);
  return `{"type":"tool.started","callId":"deep","name":"t","action":{"type":"other"},"input":${input}}`;
}

/** Reads some lines as a recording of the demo agent. */
function replayed(lines: readonly string[], end: Partial<StreamEnd> = {}) {
  const entry = recognise(demoDialects, lines);
  if (!entry) throw new Error('There is no dialect.');
  const events: AgentEvent[] = [];
  const replay = new Replay({ backend, entry, push: (event) => events.push(event) });
  for (const line of lines) replay.line(line);
  const result = replay.end({ stderr: '', ...end });
  expect(brokenPromises(events)).toEqual([]);
  return { events, result };
}

describe('a recording', () => {
  test('is one run with the events of the live agent', () => {
    const { events, result } = replayed(spoken, { code: 0 });
    expect(events.map(({ type }) => type)).toEqual([
      'run.started',
      'run.identified',
      'message.started',
      'message.delta',
      'message.completed',
      'run.completed',
    ]);
    expect(events[0]).toMatchObject({ backend: 'demo', transport: 'live' });
    expect(result).toMatchObject({
      outcome: 'done',
      output: 'Hello.',
      nativeSessionId: 's-1',
      usage: { totalTokens: 2 },
      exitCode: 0,
    });
    expect(result.error).toBeUndefined();
  });

  test.each([
    [
      'no id',
      { type: 'message.delta', messageId: null, text: 'lost' },
      'messageId is not a string',
    ],
    ['no text', { type: 'message.delta', messageId: 'n', text: null }, 'text is not a string'],
    ['no call', { type: 'tool.completed', outcome: 'ok', callId: 5 }, 'callId is not a string'],
    ['no action', { type: 'tool.started', callId: 'c', name: 't' }, 'action.type is not a string'],
    ['no request', { type: 'question.requested', questions: [], requestId: [] }, 'requestId is'],
    ['input of 5000 levels', deepCall(5000), 'more than 256 levels'],
  ])('keeps a line whose event has %s, and goes on', (_name, draft, problem) => {
    const line = typeof draft === 'string' ? draft : JSON.stringify(draft);
    const { events, result } = replayed([...spoken.slice(0, -1), line, ...spoken.slice(-1)]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'unparsed', line }));
    const notice = { type: 'notice', message: expect.stringContaining(problem) };
    expect(events).toContainEqual(expect.objectContaining(notice));
    expect(result).toMatchObject({ outcome: 'done', output: 'Hello.' });
  });

  test('keeps an input of 200 levels', () => {
    const { events } = replayed([...spoken.slice(0, -1), deepCall(200), ...spoken.slice(-1)]);
    expect(events.map(({ type }) => type)).not.toContain('unparsed');
  });

  test('of several turns adds up what they consumed', () => {
    expect(replayed([...spoken, ...spoken]).result.usage).toEqual({ totalTokens: 4 });
  });

  test('with a turn that was interrupted has the answer of the turn after it, in order', () => {
    const broken = [
      { type: 'message.started', messageId: 'broken', kind: 'text' },
      { type: 'message.delta', messageId: 'broken', text: 'w0 w1' },
      { type: 'tool.started', callId: 'c', name: 'Bash', action: { type: 'other' } },
      { type: 'turn.completed', verdict: { outcome: 'cancelled' } },
    ].map((line) => JSON.stringify(line));
    const { events, result } = replayed([...broken, ...spoken]);
    expect(result).toMatchObject({ outcome: 'done', output: 'Hello.' });
    const ends = events.filter(({ type }) => /^(message|tool)\.completed$/.test(type));
    expect(ends).toMatchObject([
      { messageId: 'broken', incomplete: true },
      { callId: 'c', outcome: 'cancelled' },
      { messageId: 'm', text: 'Hello.' },
    ]);
  });

  test('that breaks off anywhere is a whole run that failed', () => {
    fc.assert(
      fc.property(fc.nat(spoken.length - 1), fc.nat(30), (lines, characters) => {
        const cut = [...spoken.slice(0, lines), spoken[lines]?.slice(0, characters) ?? ''];
        const { result } = replayed(cut);
        expect(result.outcome).toBe('failed');
        expect(result.error?.code).toBe('interrupted');
      }),
    );
  });

  test('keeps the words that were said when it broke off', () => {
    expect(replayed(spoken.slice(0, 3)).result.output).toBe('Hello.');
  });

  test('of a crash has its exit code and its last words', () => {
    const { events, result } = replayed(spoken.slice(0, 3), { code: 70, stderr: 'Ouch.\n' });
    expect(result).toMatchObject({
      outcome: 'failed',
      exitCode: 70,
      error: { code: 'agent_crashed', message: 'Ouch.' },
    });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'notice', code: 'stderr', message: 'Ouch.' }),
    );
  });

  test('of a kill has its signal', () => {
    expect(replayed([], { code: null, signal: 'SIGKILL' }).result.signal).toBe('SIGKILL');
  });

  test('of garbage keeps every line', () => {
    const lines = ['}{', '', 'null', '7', '{"type":"unheard"}'];
    const { events } = replayed([...spoken, ...lines], { code: 0 });
    const kept = events.flatMap((event) => (event.type === 'unparsed' ? event.line : []));
    expect(kept).toEqual(lines);
  });

  test('of anything in any order keeps the promises of the stream', () => {
    const line = fc.oneof(
      anyDraft.map((draft) => JSON.stringify(draft)),
      fc.constantFrom(...spoken),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        expect(replayed([...spoken.slice(0, 2), ...lines]).result.outcome).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });
});

describe('the dialect of a recording', () => {
  test('is told by the first line that only one dialect prints', () => {
    expect(recognise(demoDialects, ['a banner', '', ...spoken])?.transport).toBe('live');
  });

  test('is the last one when no line tells', () => {
    expect(recognise(demoDialects, ['just text'])?.transport).toBe('plain');
    expect(recognise(demoDialects, [])?.transport).toBe('plain');
  });

  test('is nothing when there is none', () => {
    expect(recognise([], ['x'])).toBeUndefined();
  });
});
