import { expect, test } from 'vitest';
import { SAMPLE_EVENTS } from '../testing/sample-events.ts';
import { isTaskEvent } from './is-task-event.ts';
import { type LogEvent, logEventSchema } from './session-event.ts';

const place = { cursor: 1, time: 1 };
const SAMPLES: readonly LogEvent[] = [
  {
    ...place,
    type: 'session.created',
    cwd: '/',
    backend: 'demo',
    permissionMode: 'ask',
    title: '',
  },
  { ...place, type: 'session.changed', by: 'u', changes: { title: 'New', archived: true } },
  {
    ...place,
    type: 'prompt.queued',
    taskId: 't',
    prompt: 'Hi',
    backend: 'demo',
    permissionMode: 'auto',
    options: { maxTurns: 3 },
  },
  { ...place, type: 'prompt.edited', taskId: 't', prompt: 'Ho', by: 'u' },
  { ...place, type: 'task.started', taskId: 't', executorId: 'e', host: 'h' },
  {
    ...place,
    type: 'task.requeued',
    taskId: 't',
    executorId: 'e',
    failedStarts: 1,
    lastStartedAt: 0,
  },
  {
    ...place,
    type: 'task.narrowed',
    taskId: 't',
    by: 'u',
    executorId: 'e',
    from: 'allow-all',
    permissionMode: 'ask',
  },
  {
    ...place,
    type: 'task.widened',
    taskId: 't',
    by: 'u',
    from: 'ask',
    permissionMode: 'allow-all',
  },
  { ...place, type: 'task.lost', taskId: 't', executorId: 'e' },
  { ...place, type: 'task.paused', taskId: 't', executorId: 'e' },
  { ...place, type: 'task.resumed', taskId: 't', requestIds: ['r'] },
  { ...place, type: 'queue.paused', by: 'u' },
  { ...place, type: 'queue.resumed' },
  { ...place, type: 'answer.given', taskId: 't', requestId: 'r', answer: { decision: 'allow' } },
  { ...place, type: 'stop.requested', taskId: 't', reason: 'enough' },
  { ...place, type: 'session.notice', level: 'info', code: 'late_answer', message: 'm' },
  ...SAMPLE_EVENTS.map((event) => ({ ...event, cursor: 1, taskId: 't' })),
];

const sample = (type: LogEvent['type']) => SAMPLES.find((event) => event.type === type);

test.each(SAMPLES.map((event) => [event.type, event] as const))(
  '%s survives the way over the wire',
  (_type, event) => {
    expect(logEventSchema.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
  },
);

test('an unknown event keeps its fields', () => {
  const event = { ...place, type: 'moon.landed', seq: 1, runId: 'r', who: 'Neil' };
  expect(logEventSchema.parse(event)).toEqual(event);
});

test.each([
  ['no cursor', { time: 1, type: 'stop.requested', taskId: 't' }],
  ['a time that no calendar has', { ...sample('session.notice'), time: 9e15 }],
  ['a fraction of a millisecond', { ...sample('session.notice'), time: 0.5 }],
  ['no task', { ...place, type: 'stop.requested' }],
  ['a wrong answer', { ...sample('answer.given'), answer: { decision: 'perhaps' } }],
])('an event with %s is refused', (_name, event) => {
  expect(logEventSchema.safeParse(event).success).toBe(false);
});

test('distinguishes run events from session events', () => {
  expect(SAMPLES.filter((event) => !isTaskEvent(event))).toHaveLength(16);
});
