import type { AgentEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { toolOutcomes } from './tool-outcomes.ts';

const started = (callId: string) => ({ type: 'tool.started', callId, name: 'bash' });
const completed = (callId: string, outcome: string) => ({
  ...{ type: 'tool.completed', callId, name: 'bash', outcome },
});

test.each([
  [[started('a'), started('b'), completed('a', 'ok'), completed('b', 'error')]],
  [[started('a'), started('b'), completed('b', 'error'), completed('a', 'ok')]],
])('lists tools that ran at the same time in the order of their start', (events) => {
  expect(toolOutcomes(events as AgentEvent[])).toEqual(['bash ok', 'bash error']);
});
