// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a chains file
import { expect, test } from 'vitest';
import type { AgentStep } from '../chain.ts';
import { withVariables } from './variables.ts';

const STEP: AgentStep = {
  id: 'a',
  kind: 'agent',
  agent: 'a',
  backend: 'demo',
  fallback: [],
  prompt: 'Keep ${HOME}.',
  permissionMode: 'ask',
  onFailure: 'stop',
  env: { TOKEN: 'x-${SECRET}', PLAIN: '$${SECRET}', OTHER: '${NONE:-none}' },
  options: {
    model: '${SECRET}',
    mcpConfig: { mcpServers: { s: { url: 'http://x', headers: { Authorization: '${SECRET}' } } } },
  },
};

test('the variables of env and MCP servers are replaced when a step starts', () => {
  expect(withVariables(STEP, { SECRET: 's3cret' })).toEqual({
    ...STEP,
    env: { TOKEN: 'x-s3cret', PLAIN: '${SECRET}', OTHER: 'none' },
    options: {
      model: '${SECRET}',
      mcpConfig: { mcpServers: { s: { url: 'http://x', headers: { Authorization: 's3cret' } } } },
    },
  });
});

test('a variable that is not set any more is an error', () => {
  expect(() => withVariables(STEP, {})).toThrow('the variable SECRET is not set');
});

test('a step without variables stays as it is', () => {
  const { env: _env, ...plain } = { ...STEP, options: { mcpConfig: '/a/${x}.json' } };
  expect(withVariables(plain, {})).toEqual(plain);
});
