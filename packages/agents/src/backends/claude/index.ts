import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { TYPED_SERVERS } from '@baton/engine/definition/mcp-file';
import { claudeCapabilities } from './capabilities.ts';

/** Display name of the agent. */
export const LABEL = 'Claude Code';

/** Registry entry of Claude Code, available before its adapter is loaded. */
export const claudeEntry = {
  specVersion: 1,
  id: 'claude-cli',
  label: LABEL,
  aliases: ['claude', 'claude-code', 'claude_code', 'claude_cli'],
  capabilities: claudeCapabilities,
  testedVersions: { oldest: '2.1.197', newest: '2.1.326' },
  install: 'baton backends install claude',
  npmPackage: '@anthropic-ai/claude-code',
  binary: { name: 'claude', envVar: 'BATON_CLAUDE_BIN' },
  settingsPaths: ['.claude', '.claude.json', '.mcp.json'],
  keyVariables: async () => (await import('./credentials.ts')).KEY_VARIABLES,
  ownPaths: async (env) => (await import('./credentials.ts')).claudePaths(env),
  mcpFile: {
    path: async (env) => (await import('./credentials.ts')).claudeUserFile(env),
    key: 'mcpServers',
    format: 'json',
    ...TYPED_SERVERS,
  },
  load: async () => (await import('./backend.ts')).claudeAdapter,
} satisfies BackendEntry;
