import { expect, test } from 'vitest';
import { withSystemPrompt } from './system-prompt.ts';

test('the system prompt stands in front of the prompt, with an empty line between them', () => {
  expect(withSystemPrompt('Be brief.', 'Hello')).toBe('Be brief.\n\nHello');
});

test.each([undefined, ''])('without one (%j) the prompt stays as it is', (systemPrompt) => {
  expect(withSystemPrompt(systemPrompt, 'Hello')).toBe('Hello');
});
