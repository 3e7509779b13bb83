import { expect, test } from 'vitest';
import { PromptId } from './prompt-id.ts';

test('a prompt keeps its id until it is delivered or edited', () => {
  const id = new PromptId();
  const first = id.of('Hello');
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(id.of('Hello')).toBe(first);
  expect(id.of('Hello!')).not.toBe(first);
  const second = id.of('Hello');
  id.arrived();
  expect(id.of('Hello')).not.toBe(second);
});
