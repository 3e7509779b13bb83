import { expect, test } from 'vitest';
import { withSystemPrompt } from './system-prompt.ts';

test('the system prompt comes before the prompt, separated by an empty line', () => {
  expect(withSystemPrompt('Be brief.', 'Hello')).toBe('Be brief.\n\nHello');
});

test.each([undefined, ''])('without one (%j) the prompt stays as it is', (systemPrompt) => {
  expect(withSystemPrompt(systemPrompt, 'Hello')).toBe('Hello');
});
