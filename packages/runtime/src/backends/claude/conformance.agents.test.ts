import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { claudeBackend } from './backend.ts';

describeConformance('claude', claudeBackend, agentPrograms.claude.native, {
  allowAll: { env: { IS_SANDBOX: '1' } },
  narrowRule: (words) => `Bash(${words}:*)`,
  lookup: { program: 'claude', path: agentPrograms.claude.native, create: claudeBackend },
  model: 'claude-test-model',
  print: { lacks: ['images'] },
  allowEverything: (folder) => {
    const permissions = {
      allow: ['Bash', 'Write', 'Edit', 'Bash(*)'],
      defaultMode: 'bypassPermissions',
    };
    mkdirSync(join(folder, '.claude'), { recursive: true });
    writeFileSync(join(folder, '.claude/settings.json'), JSON.stringify({ permissions }));
  },
  folderHooks: [
    { name: 'a hook', plant: plantHook('settings.json') },
    { name: 'a hook of one person', plant: plantHook('settings.local.json') },
    { name: 'an MCP server', plant: plantServer },
    {
      name: 'an MCP server of the folder above',
      plant: (folder, command) => plantServer(join(folder, '..'), command),
    },
  ],
});

function plantHook(file: string) {
  return (folder: string, command: string) => {
    mkdirSync(join(folder, '.claude'), { recursive: true });
    const hooks = { SessionStart: [{ hooks: [{ type: 'command', command }] }] };
    writeFileSync(join(folder, '.claude', file), JSON.stringify({ hooks }));
  };
}

function plantServer(folder: string, command: string): void {
  const mcpServers = { planted: { command: 'sh', args: ['-c', command] } };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
}
