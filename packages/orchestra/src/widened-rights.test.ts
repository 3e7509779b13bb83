import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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

const PLACE = { folder: '/project', variables: [] };

test('a chain that only asks in its folder widens nothing', () => {
  const steps: Step[] = [
    agentStep('a', { options: { model: 'x', tools: { disallowed: ['Bash'], allowed: [] } } }),
    agentStep('b', { cwd: 'sub/./folder', env: {} }),
    agentStep('c', { cwd: '.' }),
    agentStep('d', { cwd: '/project' }),
    { id: 'e', kind: 'approval', message: 'Go?', onFailure: 'stop' },
  ];
  expect(widenedRights({ steps }, PLACE)).toEqual([]);
});

test.each(['auto', 'allow-all'] as const)('lists the mode %s', (permissionMode) => {
  const steps = [agentStep('a', { permissionMode })];
  const right = { step: 'a', what: 'permission mode', value: permissionMode };
  expect(widenedRights({ steps }, PLACE)).toEqual([right]);
});

test.each([
  ...['/home/me', '..', '../other', 'sub/../../other', '~', '~/x', '/projects', '/'],
  ...['{{inputs.folder}}', 'sub/{{previous.output}}', '{{item}}'],
])('lists the folder %s', (cwd) => {
  const steps = [agentStep('a', { cwd })];
  expect(widenedRights({ steps }, PLACE)).toEqual([{ step: 'a', what: 'folder', value: cwd }]);
});

test('lists a folder behind a link that leads elsewhere', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'widened-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync('/', join(folder, 'link'));
  // The second is a name in braces, as a template writes it.
  symlinkSync('/', join(folder, '{{'));
  for (const cwd of ['link/home', '{{{{/home', './{{{{']) {
    const steps = [agentStep('a', { cwd })];
    expect(widenedRights({ steps }, { ...PLACE, folder })).toMatchObject([{ value: cwd }]);
  }
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
  const rights = widenedRights({ steps: [loop, files] }, { ...PLACE, variables: ['A', 'B'] });
  expect(rights.map(({ step, what, value }) => `${step}: ${what}: ${value}`)).toEqual([
    ': variables of yours: A, B',
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

test('lists everything that an MCP server may run, whatever else it has', () => {
  const mcpServers = {
    both: { url: 'https://x.dev', command: 'sh', args: ['-c', 'id'] },
    preload: { command: 'npx', args: ['tool'], env: { NODE_OPTIONS: 'secret', CI: '1' } },
    helper: {
      type: 'http' as const,
      url: 'https://x.dev',
      headersHelper: 'id',
      headers: { A: 'secret' },
    },
  };
  const [right] = widenedRights(
    { steps: [agentStep('a', { options: { mcpConfig: { mcpServers } } })] },
    PLACE,
  );
  expect(right?.value).toBe(
    'both (https://x.dev, sh -c id), preload (npx tool, environment variables: NODE_OPTIONS CI), helper (https://x.dev, headersHelper: "id")',
  );
});
