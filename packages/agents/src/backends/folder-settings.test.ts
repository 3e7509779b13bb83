import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { givenSettings } from '@baton/config/settings/load-settings';
import { expect, onTestFinished, test } from 'vitest';
import { registerConfigured } from '../registry/register-configured.ts';
import { Registry } from '../registry/registry.ts';
import { builtInBaton } from '../testing/built-in-baton.ts';
import { givenAcpEntry } from './acp/index.ts';

// Programs that start with the agent, by the documentation of their vendors; these agents are not in the testbed.
test.each([
  ['acp:copilot', '.github/hooks/start.json'],
  ['acp:copilot', '.github/mcp.json'],
  ['acp:copilot', '.mcp.json'],
  ['acp:copilot', '.vscode/mcp.json'],
  ['acp:copilot', '.claude/settings.json'],
  ['acp:kilo', '.kilo/plugin/planted.ts'],
  ['acp:kilo', 'kilo.json'],
  ['acp:kilo', 'kilo.jsonc'],
  ['acp:kilo', 'opencode.json'],
  ['acp:kilo', '../.opencode/plugin/planted.ts'],
  ['acp:cursor', '.claude/settings.local.json'],
  ['cursor-cli', '.claude/settings.json'],
  ['opencode-cli', 'tui.json'],
  ['amp', '.agents/skills/planted/mcp.json'],
  ['amp', '../.claude/skills/planted/mcp.json'],
  ['acp:qwen', '.env'],
  ['acp:qwen', '../.env'],
  ['acp:gemini', '.env'],
])('%s is refused beside %s in an untrusted folder', async (name, file) => {
  const cwd = folderWith(file);
  const backend = await builtInBaton().loadBackend(name, { binary: '/nowhere/agent' });
  const start = () => backend.run({ prompt: 'Hello', cwd, permissionMode: 'allow-all' });
  expect(start).toThrow(expect.objectContaining({ code: 'trust_required' }));
});

// The program may be a known agent, also where its name does not say so.
test.each([
  ['opencode acp', '.opencode/plugin/planted.ts'],
  ['npx -y @qwen-code/qwen-code --acp', '../.env'],
  ['/opt/gemini-cli/bin/gemini --acp', '.env'],
  ['sh -c "exec agent"', '.claude/settings.json'],
  ['my-agent', '.mcp.json'],
  ['my-agent', '.qwen/settings.json'],
])('the ACP agent of the command %j is refused beside %s', async (command, file) => {
  const cwd = folderWith(file);
  const backend = await new Registry().load(givenAcpEntry('mine', command));
  const start = () => backend.run({ prompt: 'Hello', cwd, permissionMode: 'allow-all' });
  expect(start).toThrow(expect.objectContaining({ code: 'trust_required' }));
});

test('an agent that its user described is refused beside settings of any agent, or those it names', async () => {
  const cwd = folderWith('.claude/settings.json');
  const start = async (more: object) => {
    const described = { command: 'my-agent', dialect: 'claude-stream-json', ...more };
    const registry = new Registry();
    await registerConfigured(registry, givenSettings({ agents: { mine: described } }), cwd);
    const backend = await registry.load(registry.entry('mine'));
    return backend.run({ prompt: 'Hello', cwd, permissionMode: 'allow-all' }).collect();
  };
  const refused = expect.objectContaining({ code: 'trust_required' });
  await expect(start({})).rejects.toThrow(refused);
  await expect(start({ settingsPaths: ['.claude'] })).rejects.toThrow(refused);
  const { error } = await start({ settingsPaths: ['.mine'] });
  expect(error?.code).toBe('backend_not_found');
});

/** Returns an untrusted folder that has a file in it or above it. */
function folderWith(file: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'beside-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cwd = join(folder, 'one');
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, file), '{}');
  return cwd;
}
