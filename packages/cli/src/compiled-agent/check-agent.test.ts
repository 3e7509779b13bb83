import { defineAgent } from '@baton/runtime/agent';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { checkAgent } from './check-agent.ts';

test('accepts an agent with every field', () => {
  const agent = defineAgent({
    name: 'my-agent',
    description: 'Does it.',
    systemPromptFile: './prompt.md',
    prompt: 'Do it.',
    backend: 'claude',
    model: 'opus',
    permissionMode: 'auto',
    maxTurns: 3,
    tools: { allowed: ['Read'], disallowed: [] },
    mcpConfig: './mcp.json',
    settings: {},
    providerOptions: { effort: 'high' },
    transport: 'live',
    outputSchema: { type: 'object' },
    timeouts: { totalMs: 1000 },
    budgetUsd: 0.5,
    env: { A: 'b' },
    cwd: 'folder',
  });
  expect(checkAgent({ default: agent })).toBe(agent);
});

test('types the provider options by the backend', () => {
  const claude = defineAgent({ name: 'a', providerOptions: { effort: 'high' } });
  expectTypeOf(claude.backend).toEqualTypeOf<'claude-cli' | undefined>();
  // @ts-expect-error: an option of Claude Code.
  defineAgent({ name: 'a', backend: 'demo', providerOptions: { effort: 'high' } });
  // @ts-expect-error: only the command line can allow everything.
  defineAgent({ name: 'a', permissionMode: 'allow-all' });
});

describe('refuses', () => {
  test.each<[string, unknown, string, string]>([
    ['a file without a default export', { agent: {} }, 'no default export', 'export default'],
    ['something else', { default: () => {} }, 'is not an agent', 'defineAgent({'],
    ['an agent without a name', { default: {} }, 'has no name', "name: 'my-agent'"],
    ['a name that is no file name', { default: { name: '../x' } }, 'name must be', 'name'],
    ['an unknown field', { default: { name: 'a', promt: 'x' } }, '"promt"', 'Did you mean prompt'],
    ['a wrong value', { default: { name: 'a', maxTurns: 0 } }, 'maxTurns must be', 'maxTurns'],
    [
      'an unknown list of tools',
      { default: { name: 'a', tools: { allow: [] } } },
      '"tools.allow"',
      'allowed',
    ],
    [
      'a wrong list of tools',
      { default: { name: 'a', tools: { allowed: 'Read' } } },
      'tools.allowed must be',
      '',
    ],
    [
      'two system prompts',
      { default: { name: 'a', systemPrompt: 'x', systemPromptFile: 'y' } },
      'systemPromptFile',
      'one',
    ],
    [
      'a variable that is not set',
      { default: { name: 'a', env: { KEY: undefined } } },
      'env must be',
      '',
    ],
    [
      'allow-all',
      { default: { name: 'a', permissionMode: 'allow-all' } },
      '"allow-all"',
      '--dangerously-skip-permissions',
    ],
  ])('%s', (_name, exported, message, hint) => {
    expect(() => checkAgent(exported)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      }),
    );
  });
});
