import { outlineStepSchema } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { AgentStep, Step } from './chain.ts';
import { outlineOf } from './outline.ts';

function agentStep(id: string, more: Partial<AgentStep> = {}): AgentStep {
  return {
    id,
    kind: 'agent',
    agent: 'worker',
    backend: 'demo',
    fallback: [],
    prompt: 'Work.',
    permissionMode: 'ask',
    onFailure: 'stop',
    options: {},
    ...more,
  };
}

test('an outline shows steps, backends, limits and conditions', () => {
  const steps: Step[] = [
    agentStep('plan', { iterations: 3 }),
    agentStep('compiled', { command: ['./agent'] }),
    {
      id: 'fix',
      kind: 'loop',
      onFailure: 'stop',
      maxIterations: 5,
      if: { step: 'plan', outcome: 'done' },
      until: { step: 'test', outcome: 'done' },
      steps: [agentStep('test')],
    },
    {
      id: 'checks',
      kind: 'parallel',
      onFailure: 'stop',
      policy: 'wait',
      steps: [
        { id: 'ok', kind: 'approval', message: 'Ship?', onFailure: 'stop' },
        {
          id: 'each',
          kind: 'forEach',
          items: [1],
          policy: 'wait',
          concurrency: 1,
          onFailure: 'stop',
          steps: [agentStep('one', { if: { step: 'previous', outcome: 'failed' } })],
        },
      ],
    },
  ];
  const outline = outlineOf({ steps });
  const worker = { kind: 'agent', agent: 'worker', backend: 'demo' };
  expect(outline).toEqual([
    { id: 'plan', ...worker, iterations: 3 },
    { id: 'compiled', kind: 'agent', agent: 'worker' },
    {
      id: 'fix',
      kind: 'loop',
      iterations: 5,
      condition: 'if plan succeeded, until test succeeded',
      steps: [{ id: 'test', ...worker }],
    },
    {
      id: 'checks',
      kind: 'parallel',
      steps: [
        { id: 'ok', kind: 'approval' },
        {
          id: 'each',
          kind: 'forEach',
          steps: [{ id: 'one', ...worker, condition: 'if the previous step failed' }],
        },
      ],
    },
  ]);
  for (const step of outline) outlineStepSchema.parse(step);
});
