import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { UNTYPED_SERVERS } from '@baton/engine/definition/mcp-file';
import { capabilities, emulated, mapped, unsupported } from '@baton/engine/kit/capabilities';

const ampCapabilities = capabilities({
  agent: 'Amp',
  features: [
    'thinking',
    'resume',
    'fork',
    'conversation',
    'systemPrompt',
    'maxTurns',
    'structuredOutput',
    'mcp',
    'usage',
    'subagents',
    'diffs',
  ],
  options: {
    systemPrompt: emulated('prepended to the first prompt'),
    model: unsupported('Amp chooses the model by its mode: set the provider option mode.'),
    maxTurns: emulated('Baton counts turns and interrupts'),
    settings: mapped('--settings-file with the given file, or a private file for inline values'),
    mcpConfig: mapped('--mcp-config with a private file'),
    providerOptions: mapped(
      'mode (--mode, such as low, medium, high); thinking: true (--stream-json-thinking)',
    ),
    rawArgs: mapped('added to the command line'),
    permissionMode: mapped(
      'allow-all: --dangerously-allow-all. Amp has no way to ask a program for permission, and current releases run tools without asking, so ask and auto are refused',
    ),
    resume: mapped('threads continue'),
    fork: mapped(
      'threads fork, then threads continue; current releases no longer have it: the run fails before it starts',
    ),
    sessionId: unsupported('Amp chooses its own thread ids.'),
    outputSchema: emulated('Baton asks for JSON and validates it'),
  },
  permissionModes: ['allow-all'],
  transports: ['print'],
  stop: 'verified',
});

/** Registry entry of Amp, available before its adapter is loaded. Keep the imports of this file cheap. */
export const ampEntry: BackendEntry = {
  specVersion: 1,
  id: 'amp',
  label: 'Amp',
  aliases: ['ampcode', 'amp-cli', 'sourcegraph-amp'],
  capabilities: ampCapabilities,
  install: 'baton backends install amp',
  npmPackage: '@ampcode/cli',
  binary: { name: 'amp', envVar: 'BATON_AMP_BIN' },
  // Skills can bring MCP servers.
  settingsPaths: ['.amp', '.agents', '.claude/skills'],
  keyVariables: async () => ['AMP_API_KEY'],
  ownPaths: async (env) => (await import('./amp-home.ts')).ampFolders(env),
  mcpFile: {
    path: async (env) => (await import('./amp-home.ts')).ampSettingsPath(env),
    key: 'amp.mcpServers',
    format: 'jsonc',
    ...UNTYPED_SERVERS,
  },
  load: async () => (await import('./backend.ts')).ampAdapter,
};
