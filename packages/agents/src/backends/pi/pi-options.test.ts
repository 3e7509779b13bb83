import { expect, test } from 'vitest';
import { checkOptions, modelOf, toolsOf } from './pi-options.ts';

test.each([
  ['anthropic/claude-3-haiku', { provider: 'anthropic', id: 'claude-3-haiku' }],
  ['openrouter/anthropic/claude', { provider: 'openrouter', id: 'anthropic/claude' }],
])('%s names a provider and a model', (model, expected) => {
  expect(modelOf({ model })).toEqual(expected);
});

test.each([undefined, '', 'haiku', '/haiku', 'anthropic/'])('%j is no model', (model) => {
  expect(() => checkOptions({ model })).toThrow(model ? 'is not a model' : 'needs a model');
});

test.each(['../up', 'a/b', '.', '-x', 'a b'])('%j is no id of a session', (sessionId) => {
  expect(() => checkOptions({ model: 'a/b', sessionId })).toThrow('cannot be the id');
});

test('no tool is on unless the caller turns it on', () => {
  expect(toolsOf({})).toEqual([]);
  expect(toolsOf({ tools: { disallowed: ['bash'] } })).toEqual([]);
  expect(toolsOf({ providerOptions: { tools: true } })).toEqual(['read', 'bash', 'edit', 'write']);
  expect(toolsOf({ tools: { allowed: ['Read', 'grep', 'read'] } })).toEqual(['read', 'grep']);
  expect(toolsOf({ providerOptions: { tools: true }, tools: { disallowed: ['Bash'] } })).toEqual([
    'read',
    'edit',
    'write',
  ]);
});

test.each(['Bash(git:*)', 'WebFetch', ''])(
  'a tool that Pi does not have is refused: %j',
  (name) => {
    expect(() => toolsOf({ tools: { allowed: [name] } })).toThrow('Pi has no tool');
  },
);
