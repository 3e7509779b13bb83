import type { DialectOut, EventDraft, Verdict } from '@baton/engine/definition/dialect';
import { expect, test } from 'vitest';
import { eventReader, isEventLine } from './reader.ts';

function read(lines: readonly string[], code = 0) {
  const drafts: EventDraft[] = [];
  const verdicts: (Verdict | undefined)[] = [];
  const out: DialectOut = {
    emit: (draft) => void drafts.push(draft),
    write: () => {},
    complete: (verdict) => void verdicts.push(verdict),
  };
  const dialect = eventReader(out, 'my-agent');
  for (const line of lines) dialect.line(line);
  verdicts.push(dialect.end({ code, stderr: '' }));
  return { drafts, verdicts };
}

const event = (seq: number, rest: object) => JSON.stringify({ seq, time: 1, runId: 'r', ...rest });
const STARTED = event(1, { type: 'run.started', backend: 'demo', transport: 'live', cwd: '/' });

test('passes events on without their numbers, and the result as the verdict', () => {
  const usage = { totalTokens: 3 };
  const { drafts, verdicts } = read([
    STARTED,
    event(2, { type: 'run.identified', nativeSessionId: 'n' }),
    event(3, { type: 'message.started', messageId: 'm', kind: 'text' }),
    event(4, { type: 'message.delta', messageId: 'm', kind: 'text', text: 'Hi' }),
    event(5, { type: 'run.completed', outcome: 'done', output: 'Hi', usage, durationMs: 1 }),
  ]);
  expect(drafts).toEqual([
    { type: 'run.identified', nativeSessionId: 'n' },
    { type: 'message.started', messageId: 'm', kind: 'text' },
    { type: 'message.delta', messageId: 'm', kind: 'text', text: 'Hi' },
  ]);
  expect(verdicts).toEqual([{ outcome: 'done', output: 'Hi', usage }, undefined]);
});

test('drops requests, which the program settles itself', () => {
  const { drafts } = read([
    event(2, { type: 'permission.requested', requestId: 'q', tool: 'x', scopes: [] }),
    event(3, { type: 'permission.resolved', requestId: 'q', decision: 'deny', by: 'nobody' }),
  ]);
  expect(drafts).toEqual([]);
});

test('keeps what is not an event, and an event without a field it needs', () => {
  const broken = event(2, { type: 'tool.started', callId: 'c' });
  const { drafts, verdicts } = read(['npm warn', broken, '{"no": "event"}'], 1);
  expect(drafts).toEqual([
    { type: 'notice', level: 'info', code: 'text', message: 'npm warn' },
    { type: 'unparsed', source: 'stdout', line: broken },
    { type: 'unparsed', source: 'stdout', line: '{"no": "event"}' },
  ]);
  expect(verdicts).toMatchObject([{ outcome: 'failed', error: { code: 'agent_crashed' } }]);
});

test('an unknown outcome is a failure', () => {
  const { verdicts } = read([event(2, { type: 'run.completed', outcome: 'great', output: '' })]);
  expect(verdicts[0]).toMatchObject({ outcome: 'failed' });
});

test('recognises only the first event of a run', () => {
  expect([STARTED, 'text', '{"type":"x"}'].map(isEventLine)).toEqual([true, false, false]);
});
