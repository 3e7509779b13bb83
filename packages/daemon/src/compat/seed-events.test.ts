import type { LogEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { seedEventOf } from './seed-events.ts';

const place = { cursor: 3, time: 1000, taskId: 't' };
const run = { ...place, seq: 1, runId: 'r' };
const told = (event: LogEvent) => seedEventOf('s', event, () => 's.2');

test('a stop is sent as task_stop', () => {
  expect(told({ ...place, type: 'stop.requested' })).toEqual({
    service: 'sessions',
    name: 'task_stop',
    data: { session_id: 's', task_id: 't', timestamp: '1970-01-01T00:00:01.000Z' },
  });
});

test.each(['allow', 'deny'] as const)(
  'an answer of %s is told as permission_resolved',
  (decision) => {
    const answer: LogEvent = {
      ...place,
      type: 'answer.given',
      requestId: 'p',
      answer: { decision },
    };
    expect(told(answer)).toEqual({
      service: 'messages',
      name: 'permission_resolved',
      data: { session_id: 's', task_id: 't', request_id: 'p', approved: decision === 'allow' },
    });
  },
);

test('each resolved request is sent once, with or without a user', () => {
  const settled: LogEvent = {
    ...run,
    type: 'permission.resolved',
    requestId: 'p',
    decision: 'deny',
    by: 'timeout',
  };
  expect(told(settled)?.name).toBe('permission_resolved');
  expect(told({ ...settled, by: 'person' })).toBeUndefined();
});

test.each([
  ['text', 'streaming'],
  ['thinking', 'thinking'],
] as const)('a message of %s is told as %s, from start to end', (kind, prefix) => {
  const message = { ...run, messageId: 'm', kind };
  const events: LogEvent[] = [
    { ...message, type: 'message.started' },
    { ...message, type: 'message.delta', text: 'Hi' },
    { ...message, type: 'message.completed', text: 'Hi' },
  ];
  const data = { session_id: 's', task_id: 't', message_id: 's.2' };
  expect(events.map(told)).toEqual([
    { service: 'messages', name: `${prefix}:start`, data },
    { service: 'messages', name: `${prefix}:chunk`, data: { ...data, chunk: 'Hi' } },
    { service: 'messages', name: `${prefix}:end`, data },
  ]);
});

test('events without a counterpart are not sent', () => {
  expect(told({ ...run, type: 'run.started', backend: 'demo', transport: 'live', cwd: '/' })).toBe(
    undefined,
  );
});
