import { expect, test } from 'vitest';
import { isTaskEvent } from '../session/is-task-event.ts';
import type { LogEvent } from '../session/session-event.ts';
import { SAMPLE_EVENTS } from '../testing/sample-events.ts';
import { foldTranscript } from '../transcript/next-entry.ts';
import { messageOf, messageRecordSchema, permissionContentSchema } from './message-record.ts';

const place = { cursor: 1, time: 1000 };
const asked: LogEvent = {
  ...place,
  type: 'permission.requested',
  seq: 1,
  runId: 'r',
  taskId: 't',
  requestId: 'p',
  tool: 'Bash',
  action: { type: 'command', command: 'ls' },
  input: { command: 'ls' },
  scopes: ['once', 'session'],
};
const message = (...events: LogEvent[]) => {
  const [entry] = foldTranscript(events.map((event, index) => ({ ...event, cursor: index + 1 })));
  if (!entry) throw new Error('no entry');
  return messageOf('s', entry);
};

test('a permission request is a message that waits', () => {
  expect(message(asked)).toMatchObject({
    message_id: 's.1',
    session_id: 's',
    task_id: 't',
    type: 'permission_request',
    timestamp: '1970-01-01T00:00:01.000Z',
    content: {
      request_id: 'p',
      tool_name: 'Bash',
      tool_params: { command: 'ls' },
      status: 'pending',
    },
  });
});

test.each([
  ['allow', 'approved'],
  ['deny', 'denied'],
] as const)('a request that was answered with %s is %s, at once', (decision, status) => {
  const given: LogEvent = {
    ...place,
    type: 'answer.given',
    taskId: 't',
    requestId: 'p',
    answer: { decision },
  };
  const { content } = message(asked, given);
  expect(permissionContentSchema.parse(content).status).toBe(status);
});

test('a request names the user who answered it, else what decided it', () => {
  const given = { ...place, type: 'answer.given', taskId: 't', requestId: 'p' } as const;
  const settled = {
    ...place,
    type: 'permission.resolved',
    seq: 2,
    runId: 'r',
    taskId: 't',
  } as const;
  const decided = { requestId: 'p', decision: 'allow' } as const;
  const approvedBy = (...events: LogEvent[]) =>
    permissionContentSchema.parse(message(asked, ...events).content).approved_by;
  const byUser: LogEvent = { ...given, by: 'u', answer: { decision: 'allow' } };
  expect(approvedBy(byUser)).toBe('u');
  expect(approvedBy(byUser, { ...settled, ...decided, by: 'person' })).toBe('u');
  const byRule: LogEvent = { ...given, answer: { decision: 'allow', by: 'policy' } };
  expect(approvedBy(byRule, { ...settled, ...decided, by: 'policy' })).toBe('policy');
});

test('a request without an answer at the end is denied', () => {
  const settled: LogEvent = {
    ...place,
    type: 'permission.resolved',
    seq: 2,
    runId: 'r',
    taskId: 't',
    requestId: 'p',
    decision: 'cancelled',
    by: 'stop',
  };
  expect(message(asked, settled).content).toMatchObject({ status: 'denied', approved_by: 'stop' });
});

test('every event that people see becomes a message of the right form', () => {
  const events = SAMPLE_EVENTS.map((event, index) => ({
    ...event,
    cursor: index + 1,
    taskId: 't',
  }));
  const entries = foldTranscript(events.filter(isTaskEvent));
  expect(entries.length).toBeGreaterThan(5);
  for (const entry of entries) {
    expect(messageRecordSchema.safeParse(messageOf('s', entry)).error).toBeUndefined();
  }
});
