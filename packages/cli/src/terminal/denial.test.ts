import type { AgentEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { Denials } from './denial.ts';

const requested = { type: 'permission.requested', requestId: 'r', callId: 'c' };
const resolved = { type: 'permission.resolved', requestId: 'r', decision: 'deny', by: 'nobody' };
const denied = { type: 'tool.completed', callId: 'c', outcome: 'denied' };
const other = { type: 'tool.completed', callId: 'd', outcome: 'denied' };

test.each<[string, object[], number]>([
  ['nothing', [], 0],
  ['a denied request', [requested, resolved], 1],
  ['a denied request and its tool', [requested, resolved, denied], 1],
  ['a denied request of which no tool is known', [resolved, denied], 2],
  ['a tool that the agent denied itself', [denied], 1],
  ['an allowed request', [requested, { ...resolved, decision: 'allow' }], 0],
  ['what a stop refuses', [requested, { ...resolved, by: 'stop' }], 0],
  ['not what a person denies', [requested, { ...resolved, by: 'person' }, denied], 0],
  ['what a person denies beside others', [requested, { ...resolved, by: 'person' }, other], 1],
  ['a tool that went well', [{ ...denied, outcome: 'ok' }], 0],
])('counts %s', (_name, events, count) => {
  const denials = new Denials();
  for (const event of events) denials.see(event as AgentEvent);
  expect(denials.count).toBe(count);
});
