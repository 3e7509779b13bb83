import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builtInBaton } from '../testing/built-in-baton.ts';

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
])('%s is refused beside %s in an untrusted folder', async (name, file) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'beside-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cwd = join(folder, 'one');
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, file), '{}');
  const backend = await builtInBaton().loadBackend(name, { binary: '/nowhere/agent' });
  const start = () => backend.run({ prompt: 'Hello', cwd, permissionMode: 'allow-all' });
  expect(start).toThrow(expect.objectContaining({ code: 'trust_required' }));
});
