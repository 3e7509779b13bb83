import { type AgentEvent, reportedEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { validEvents } from './valid-events.ts';

const stamp = { seq: 3, time: 1, runId: 'r' };
const made = (fields: object) => ({ ...stamp, ...fields }) as AgentEvent;

test('a valid event stays as it is', () => {
  const event = made({ type: 'message.delta', messageId: 'm', kind: 'text', text: 'Hi' });
  expect(validEvents(event)).toEqual([event]);
});

test.each([
  [
    'an action without a kind',
    { type: 'tool.started', callId: 'c', name: 'n', action: { type: 7 } },
  ],
  ['a text that is none', { type: 'message.delta', messageId: 'm', kind: 'text', text: 7 }],
  ['an unknown type', { type: 'tool.exploded' }],
  ['an event of the daemon', { type: 'session.created' }],
  [
    'a resolver that executors may not name',
    { type: 'permission.resolved', requestId: 'q', decision: 'allow', by: 'me' },
  ],
])('%s becomes an unparsed line and a notice with the reason', (_name, fields) => {
  const event = made(fields);
  const [line, notice] = validEvents(event);
  expect(line).toMatchObject({ ...stamp, type: 'unparsed', line: JSON.stringify(event) });
  expect(notice).toMatchObject({ type: 'notice', level: 'warning' });
  expect(notice).toHaveProperty('message', expect.stringMatching(/kept as an unparsed line/));
  for (const each of [line, notice]) expect(() => reportedEvent(each)).not.toThrow();
});

test('an invalid result still ends the run, and keeps its answer', () => {
  const [event, ...more] = validEvents(
    made({ type: 'run.completed', outcome: 'great', output: 'Hi' }),
  );
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    type: 'run.completed',
    outcome: 'failed',
    output: 'Hi',
    error: { code: 'internal', message: expect.stringContaining('outcome') },
  });
  expect(() => reportedEvent(event)).not.toThrow();
});
