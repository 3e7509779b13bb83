import { expect, test } from 'vitest';
import { answerForAgent } from './answers.ts';

test.each(['once', 'session', 'always'] as const)(
  'an answer for %s reaches the agent for this once',
  (scope) => {
    expect(answerForAgent({ decision: 'allow', scope })).toEqual({
      decision: 'allow',
      scope: 'once',
    });
  },
);

test('other answers reach the agent as they are', () => {
  const deny = { decision: 'deny' as const, reason: 'No.' };
  expect(answerForAgent(deny)).toEqual(deny);
  expect(answerForAgent({ declined: true })).toEqual({ declined: true });
});
