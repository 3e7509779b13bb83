import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { capabilities, emulated, mapped, unsupported } from '@baton/engine/kit/capabilities';

const sdkCapabilities = capabilities({
  agent: 'The Codex SDK',
  features: [
    'thinking',
    'resume',
    'systemPrompt',
    'maxTurns',
    'structuredOutput',
    'mcp',
    'images',
    'usage',
    'plan',
  ],
  options: {
    systemPrompt: mapped('developer_instructions of the thread'),
    cwd: mapped('workingDirectory of the thread'),
    model: mapped('model of the thread'),
    maxTurns: emulated('Baton counts turns and stops the agent'),
    settings: mapped('configOverrides, which other users can see in the process list'),
    mcpConfig: mapped('configOverrides, in addition to the servers in config.toml'),
    permissionMode: mapped(
      'no one can be asked: ask is the read-only sandbox, auto the workspace-write sandbox, allow-all no sandbox',
    ),
    resume: mapped('resumeThread()'),
    fork: unsupported('The Codex SDK cannot fork a thread. Use codex-cli.'),
    sessionId: unsupported('Codex chooses its own thread ids.'),
    outputSchema: mapped('outputSchema of the turn; Baton validates the answer'),
    budgetUsd: emulated(
      'Baton estimates the cost: requires providerOptions.prices, or a model with a known price',
    ),
    images: mapped('local files'),
  },
  permissionModes: ['ask', 'auto', 'allow-all'],
  transports: ['print'],
  stop: 'verified',
});

/** Registry entry of the Codex SDK, available before its adapter is loaded. */
export const codexSdkEntry: BackendEntry = {
  specVersion: 1,
  id: 'codex-sdk',
  label: 'Codex SDK',
  capabilities: sdkCapabilities,
  testedVersions: { oldest: '0.163.0', newest: '0.163.0' },
  install: 'baton backends install codex-sdk',
  npmPackage: '@openai/codex-sdk',
  binary: {
    library: { id: 'codex-sdk', packages: ['@openai/codex-sdk'], envVar: 'BATON_CODEX_SDK' },
  },
  settingsPaths: ['.codex'],
  keyVariables: async (env) => (await import('../codex/credentials.ts')).codexKeyVariables(env),
  ownPaths: async (env) => [(await import('../codex/codex-home.ts')).codexHome(env)],
  mcpFile: {
    path: async (env) => (await import('../codex/codex-home.ts')).codexConfigPath(env),
    key: 'mcp_servers',
    format: 'toml',
    stdio: { command: 'command', args: 'args', env: 'env' },
    http: { url: 'url', headers: 'http_headers' },
  },
  load: async () => (await import('./backend.ts')).codexSdkAdapter,
};
