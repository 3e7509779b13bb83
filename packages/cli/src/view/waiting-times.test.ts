import type { AgentEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { WaitingTimes } from './waiting-times.ts';

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

function waited(...events: object[]): number {
  const times = new WaitingTimes();
  for (const event of events) times.see(event as AgentEvent);
  return times.of('c');
}

test.each(['permission', 'question'])('a tool has waited until it was answered: %s', (kind) => {
  expect(waited(asked(kind, 'r', 'c', 5000), answered(kind, 'r', 5900))).toBe(900);
});

test('several answers are waited for one after another', () => {
  const events = [
    asked('permission', 'r', 'c', 0),
    answered('permission', 'r', 300),
    asked('permission', 'r', 'c', 400),
    answered('permission', 'r', 500),
  ];
  expect(waited(...events)).toBe(400);
});

test.each<[string, object[]]>([
  ['for another tool', [asked('permission', 'r', 'd', 0), answered('permission', 'r', 500)]],
  ['for no known tool', [asked('permission', 'r', undefined, 0), answered('permission', 'r', 500)]],
  ['that has not ended', [asked('permission', 'r', 'c', 0)]],
])('waiting %s counts not', (_name, events) => {
  expect(waited(...events)).toBe(0);
});
