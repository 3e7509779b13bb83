import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../event.ts';
import type { LogEvent } from '../session/session-event.ts';
import { SAMPLE_EVENTS } from '../testing/sample-events.ts';
import type { Entry } from './entry.ts';
import { entryKeyOf } from './entry-key.ts';
import { foldTranscript, nextEntry } from './next-entry.ts';
import { permissionOutcome, settledAction } from './settlement.ts';

type Body = Record<string, unknown> & { type: string };

/** Events as they stand in the log of a session. */
function log(...bodies: Body[]): LogEvent[] {
  return bodies.map((body, index) => {
    const cursor = index + 1;
    return { cursor, time: cursor, taskId: 't', runId: 'r', seq: cursor, ...body } as LogEvent;
  });
}

const command = { type: 'command', command: 'ls' };
const started = { type: 'tool.started', callId: 'c', name: 'shell', action: command };
const completed = {
  type: 'tool.completed',
  callId: 'c',
  name: 'shell',
  action: { ...command, exitCode: 0 },
  outcome: 'ok',
};

describe('a message', () => {
  test('grows by its deltas and is closed by its end', () => {
    const message = { messageId: 'm', kind: 'text' };
    const events = log(
      { type: 'message.started', ...message },
      { type: 'message.delta', ...message, text: 'Hel' },
      { type: 'message.delta', ...message, text: 'lo' },
      { type: 'message.completed', ...message, text: 'Hello' },
    );
    expect(foldTranscript(events.slice(0, 3))).toMatchObject([{ text: 'Hello', open: true }]);
    expect(foldTranscript(events)).toMatchObject([
      { key: 't:message:m', kind: 'text', text: 'Hello', open: false, cursor: 1, through: 4 },
    ]);
  });

  test('of a sub-agent belongs to the entry of its tool', () => {
    const [entry] = foldTranscript(
      log({ type: 'message.started', messageId: 'm', kind: 'text', parentId: 'c' }),
    );
    expect(entry?.parentKey).toBe('t:tool:c');
  });
});

describe('a tool', () => {
  test('collects its output until its end says all of it', () => {
    const updated = (output: string) => ({ type: 'tool.updated', callId: 'c', output });
    const running = log(started, updated('a'), updated('b'));
    expect(foldTranscript(running)).toMatchObject([{ output: 'ab', open: true }]);
    const silent = foldTranscript(log(started, updated('a'), updated('b'), completed));
    expect(silent).toMatchObject([{ output: 'ab', outcome: 'ok', open: false }]);
    const told = foldTranscript(log(started, updated('a'), { ...completed, output: 'whole' }));
    expect(told).toMatchObject([{ output: 'whole', action: { exitCode: 0 } }]);
  });

  test('keeps the beginning and the end of a long output, with the number of omitted characters', () => {
    const piece = 'x'.repeat(100_000);
    const pieces = Array.from({ length: 20 }, () => ({
      type: 'tool.updated',
      callId: 'c',
      output: piece,
    }));
    const [entry] = foldTranscript(log(started, ...pieces, completed));
    expect(entry).toMatchObject({ kind: 'tool', outputCut: 2_000_000 - 256 * 1024 });
    const whole = { ...completed, output: `begin${piece.repeat(9)}end` };
    const [long] = foldTranscript(log(started, whole)) as { output: string }[];
    expect(long?.output.length).toBe(256 * 1024);
    expect(long?.output).toMatch(/^begin.*end$/);
  });
});

test('a request is answered, and then resolved', () => {
  const entry = (count: number) =>
    foldTranscript(
      log(
        {
          type: 'permission.requested',
          requestId: 'q',
          tool: 'shell',
          action: command,
          scopes: ['once'],
        },
        { type: 'answer.given', requestId: 'q', answer: { decision: 'allow' }, by: 'u' },
        {
          type: 'permission.resolved',
          requestId: 'q',
          decision: 'allow',
          scope: 'once',
          by: 'person',
        },
      ).slice(0, count),
    )[0];
  expect(entry(1)).toMatchObject({ kind: 'permission', open: true, request: { tool: 'shell' } });
  expect(entry(2)).toMatchObject({ open: true, answer: { decision: 'allow' } });
  expect(entry(3)).toMatchObject({ open: false, decision: 'allow', by: 'person' });
});

test('a request and its call show the input that a person edited', () => {
  const input = { command: 'pwd' };
  const action = { type: 'command', command: 'pwd' };
  const request = { requestId: 'q', callId: 'c', tool: 'shell', action: command, scopes: ['once'] };
  const [tool, permission] = foldTranscript(
    log(
      started,
      { type: 'permission.requested', ...request },
      {
        type: 'permission.resolved',
        requestId: 'q',
        decision: 'allow',
        by: 'person',
        input,
        action,
      },
      { type: 'tool.updated', callId: 'c', action, input },
      { ...completed, action: { ...action, exitCode: 0 }, input },
    ),
  );
  expect(tool).toMatchObject({ kind: 'tool', action: { command: 'pwd', exitCode: 0 }, input });
  expect(permission).toMatchObject({ request: { action: command }, edited: { action, input } });
  if (permission?.kind !== 'permission') throw new Error('The request is not there');
  expect(settledAction(permission)).toEqual(action);
  expect(permissionOutcome(permission)).toBe('allowed once, edited');
});

test('a prompt can be edited, and learns its model', () => {
  const queued = { type: 'prompt.queued', prompt: 'a', backend: 'demo', permissionMode: 'ask' };
  const runs = { type: 'run.started', backend: 'demo', transport: 'live', cwd: '/', model: 'm' };
  expect(foldTranscript(log(queued, { type: 'prompt.edited', prompt: 'b' }, runs))).toMatchObject([
    { kind: 'prompt', text: 'b', model: 'm' },
  ]);
  expect(foldTranscript(log({ ...queued, attachments: ['f'] }))).toMatchObject([
    { kind: 'prompt', attachments: ['f'] },
  ]);
});

test('a prompt learns the model that the agent chose', () => {
  const queued = { type: 'prompt.queued', prompt: 'a', backend: 'claude-cli' };
  const runs = { type: 'run.started', backend: 'claude-cli', transport: 'live', cwd: '/' };
  const named = { type: 'run.identified', nativeSessionId: 's' };
  expect(foldTranscript(log(queued, runs, named, { ...named, model: 'opus' }))).toMatchObject([
    { kind: 'prompt', model: 'opus' },
  ]);
});

test('unrecognized lines are one entry per task', () => {
  const strange = { type: 'unparsed', source: 'stdout', line: '{}' };
  const events = log(strange, { ...strange, parentId: 'c' }, { ...strange, taskId: 'other' });
  expect(foldTranscript(events)).toMatchObject([
    { kind: 'unparsed', cursor: 1, count: 2, taskId: 't' },
    { kind: 'unparsed', cursor: 3, count: 1, taskId: 'other' },
  ]);
});

test('unknown events make no entry', () => {
  expect(foldTranscript(log({ type: 'moon.landed' }))).toEqual([]);
});

describe('for any events', () => {
  const event = fc
    .tuple(fc.constantFrom(...SAMPLE_EVENTS), fc.constantFrom('a', 'b'))
    .map(([sample, id]): Body => ({ ...(sample as AgentEvent & Body), ...renamed(sample, id) }));
  const events = fc
    .array(event, { maxLength: 60 })
    .map((bodies) =>
      bodies.map(
        (body, index) => ({ ...body, cursor: index + 1, taskId: 't' }) as unknown as LogEvent,
      ),
    );

  test('reading some of the log again changes nothing', () => {
    fc.assert(
      fc.property(events, fc.nat(60), fc.nat(60), (all, from, to) => {
        const again = [...all.slice(0, to), ...all.slice(Math.min(from, to)), ...all];
        expect(foldTranscript(again)).toEqual(foldTranscript(all));
      }),
    );
  });

  test('an entry that did not change stays the same object', () => {
    fc.assert(
      fc.property(events, (all) => {
        const entries = new Map<string, Entry>();
        for (const one of all) {
          const before = new Map(entries);
          const id = entryKeyOf(one);
          const next = id === undefined ? undefined : nextEntry(entries.get(id), one);
          if (id !== undefined && next) entries.set(id, next);
          for (const [key, entry] of before) if (key !== id) expect(entries.get(key)).toBe(entry);
        }
      }),
    );
  });
});

/** The same event about another message, call or request. */
function renamed(event: AgentEvent, id: string): Record<string, string> {
  if ('messageId' in event) return { messageId: id };
  if ('requestId' in event) return { requestId: id };
  return 'callId' in event && event.callId !== undefined ? { callId: id } : {};
}

test('a reused id is a new entry', () => {
  const again = { ...started, action: { ...command, command: 'pwd' } };
  const events = log(started, completed, again, { ...completed, output: 'here' });
  expect(foldTranscript(events)).toMatchObject([
    { cursor: 1, key: 't:tool:c', output: '', open: false },
    { cursor: 3, key: 't:tool:c', output: 'here', open: false },
  ]);
});
