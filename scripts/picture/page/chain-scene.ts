import type { Said } from './hand.ts';
import { done, message } from './scenes.ts';

/** The chain of the picture. */
export const CHAINS = {
  agents: {
    architect: { backend: 'claude', prompt: 'Plan it: {{inputs.task}}' },
    developer: { backend: 'claude', prompt: 'Implement it: {{inputs.task}}' },
    writer: { backend: 'codex', prompt: 'Write the help page: {{inputs.task}}' },
    reviewer: { backend: 'codex', prompt: 'Review the changes.' },
  },
  chains: {
    feature: {
      description: 'Plan a feature, build it and its documentation, and review it',
      inputs: { task: { description: 'What customers can do', multiline: true } },
      steps: [
        { id: 'plan', agent: 'architect' },
        {
          id: 'build',
          parallel: [
            { id: 'code', agent: 'developer' },
            { id: 'docs', agent: 'writer' },
          ],
        },
        {
          ...{ id: 'review', maxIterations: 3 },
          loop: [{ id: 'check', agent: 'reviewer' }],
        },
        { id: 'release', approve: 'Release {{inputs.task}}?' },
      ],
    },
  },
};

/** Returns the events of the steps' agents, in the order in which the steps start. */
export function chainScenes(): [step: string, said: readonly Said[]][] {
  const test = { type: 'command', command: 'npm test -- checkout' };
  return [
    ['plan', [...message('m', 'The plan has four parts.'), done(0.14, 21_000, 1800)]],
    [
      'build/code',
      [
        ...message('m', 'Gift cards are a payment method now. I run the tests.'),
        { type: 'tool.started', callId: 'c', name: 'Bash', action: test },
      ],
    ],
    ['build/docs', [...message('m', 'The help page is ready.'), done(0.06, 9000, 1200)]],
  ];
}

/** Start times and durations of its steps, in seconds. */
export const CHAIN_TIMES = {
  began: 286,
  steps: {
    plan: { began: 286, took: 88 },
    build: { began: 198 },
    'build/code': { began: 198 },
    'build/docs': { began: 198, took: 105 },
  },
};
