import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../event.ts';
import { SAMPLE_EVENTS } from '../testing/sample-events.ts';
import { EVENT_SOURCES, reportedEvent } from './reported-event.ts';
import { SESSION_EVENT_TYPES } from './session-event.ts';

const envelope = { seq: 1, time: 1, runId: 'r' };

test('every event type is classified, and no other', () => {
  expect(Object.keys(EVENT_SOURCES).sort()).toEqual(
    [...EVENT_TYPES, ...SESSION_EVENT_TYPES].sort(),
  );
});

test('no event of a session is for executors', () => {
  for (const type of SESSION_EVENT_TYPES) expect(EVENT_SOURCES[type]).toBe('daemon');
});

describe('an executor may report', () => {
  test.each(SAMPLE_EVENTS.map((event) => [event.type, event] as const))('%s', (_type, event) => {
    expect(reportedEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });
});

describe('an executor may not report', () => {
  test.each([...SESSION_EVENT_TYPES, 'moon.landed', '__proto__', 'constructor', '', undefined, 7])(
    'an event of type %s',
    (type) => {
      const report = () => reportedEvent({ ...envelope, type, taskId: 't', by: 'owner' });
      expect(report).toThrow(expect.objectContaining({ code: 'forbidden' }));
    },
  );

  test.each([null, 'text', 5, []])('%j in place of an event', (value) => {
    expect(() => reportedEvent(value)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });

  test('an event without its fields', () => {
    const report = () => reportedEvent({ ...envelope, type: 'message.delta', text: 5 });
    expect(report).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  test.each(['user-1', 'owner', 'system'])('a request that %s resolved', (by) => {
    const event = {
      ...envelope,
      type: 'permission.resolved',
      requestId: 'q',
      decision: 'allow',
      by,
    };
    expect(() => reportedEvent(event)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});

test('fields that an event type does not have are dropped', () => {
  const event = { ...envelope, type: 'unparsed', source: 'stdout', line: 'x' };
  const forged = {
    ...event,
    cursor: 99,
    taskId: 'another',
    by: 'owner',
    changes: { archived: true },
  };
  expect(reportedEvent(forged)).toEqual(event);
});
