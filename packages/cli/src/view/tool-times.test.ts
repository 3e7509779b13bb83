import type { AgentEvent, EventOf } from '@baton/protocol';
import { expect, test } from 'vitest';
import { ToolTimes } from './tool-times.ts';

const asked = (kind: string, requestId: string, callId: string | undefined, time: number) => ({
  type: `${kind}.requested`,
  requestId,
  callId,
  time,
});
const answered = (kind: string, requestId: string, time: number) => ({
  type: `${kind}.resolved`,
  requestId,
  time,
});

function workedFor(durationMs: number | undefined, events: object[]): number {
  const times = new ToolTimes();
  for (const event of events) times.see(event as AgentEvent);
  return times.of({ callId: 'c', durationMs } as EventOf<'tool.completed'>);
}

test.each(['permission', 'question'])(
  'the time of waiting for an answer is left out: %s',
  (kind) => {
    expect(workedFor(1000, [asked(kind, 'r', 'c', 5000), answered(kind, 'r', 5900)])).toBe(100);
  },
);

test('several answers are waited for one after another', () => {
  const events = [
    asked('permission', 'r', 'c', 0),
    answered('permission', 'r', 300),
    asked('permission', 'r', 'c', 400),
    answered('permission', 'r', 500),
  ];
  expect(workedFor(1000, events)).toBe(600);
});

test.each<[string, object[]]>([
  ['for another tool', [asked('permission', 'r', 'd', 0), answered('permission', 'r', 500)]],
  ['for no known tool', [asked('permission', 'r', undefined, 0), answered('permission', 'r', 500)]],
  ['that has not ended', [asked('permission', 'r', 'c', 0)]],
])('waiting %s counts not', (_name, events) => {
  expect(workedFor(1000, events)).toBe(1000);
});

test('a time is never less than nothing', () => {
  expect(workedFor(undefined, [asked('question', 'r', 'c', 0), answered('question', 'r', 9)])).toBe(
    0,
  );
});
