import { expect, test } from 'vitest';
import type { AgentStep, Step } from './chain.ts';
import { widenedRights } from './widened-rights.ts';

function agentStep(id: string, more: Partial<AgentStep> = {}): AgentStep {
  return {
    id,
    kind: 'agent',
    agent: 'a',
    backend: 'demo',
    fallback: [],
    prompt: 'Hi.',
    permissionMode: 'ask',
    onFailure: 'stop',
    options: {},
    ...more,
  };
}

test('a chain that only asks or edits its workspace widens nothing', () => {
  const steps: Step[] = [
    agentStep('a', { options: { model: 'x', tools: { disallowed: ['Bash'], allowed: [] } } }),
    agentStep('b', { permissionMode: 'auto', env: {} }),
    { id: 'c', kind: 'approval', message: 'Go?', onFailure: 'stop' },
  ];
  expect(widenedRights({ steps })).toEqual([]);
});

test('lists everything that widens rights, with the path of its step', () => {
  const stdio = { command: 'npx', args: ['-y', 'a b'] };
  const inner = agentStep('inner', {
    permissionMode: 'allow-all',
    command: ['/opt/agent', '--say', 'a b'],
    env: { TOKEN: 'secret', CI: '1' },
    options: {
      rawArgs: ['--yolo', 'x; rm -rf /'],
      tools: { allowed: ['Bash', 'Edit'] },
      settings: { hooks: {} },
      mcpConfig: { mcpServers: { files: stdio, web: { url: 'https://x.dev/mcp' } } },
      providerOptions: { plan: true },
    },
  });
  const loop: Step = {
    id: 'loop',
    kind: 'loop',
    maxIterations: 2,
    onFailure: 'stop',
    steps: [inner],
  };
  const files = agentStep('files', { options: { settings: '/s.json', mcpConfig: '/m.json' } });
  const rights = widenedRights({ steps: [loop, files] });
  expect(rights.map(({ step, what, value }) => `${step}: ${what}: ${value}`)).toEqual([
    'loop/inner: permission mode: allow-all',
    'loop/inner: program: /opt/agent --say "a b"',
    'loop/inner: arguments: --yolo "x; rm -rf /"',
    'loop/inner: allowed tools: Bash, Edit',
    'loop/inner: MCP servers: files (npx -y "a b"), web (https://x.dev/mcp)',
    'loop/inner: settings: {"hooks":{}}',
    'loop/inner: provider options: {"plan":true}',
    'loop/inner: environment variables: TOKEN, CI',
    'files: MCP servers: /m.json',
    'files: settings: /s.json',
  ]);
  expect(JSON.stringify(rights)).not.toContain('secret');
});
