import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { capabilities, emulated, mapped, unsupported } from '@baton/engine/kit/capabilities';
import { nativeBinary } from './native-binary.ts';

const codexCapabilities = capabilities({
  agent: 'Codex',
  features: [
    'streaming',
    'thinking',
    'permissions',
    'questions',
    'steer',
    'resume',
    'fork',
    'interactive',
    'conversation',
    'systemPrompt',
    'maxTurns',
    'structuredOutput',
    'mcp',
    'images',
    'usage',
    'plan',
    'subagents',
    'diffs',
  ],
  options: {
    systemPrompt: mapped(
      'developer instructions of a new thread; prepended to the first prompt of a resumed one',
    ),
    cwd: mapped('the working directory of the process and of the thread'),
    model: mapped('model of the thread, or --model'),
    maxTurns: emulated('Baton counts turns and interrupts'),
    'tools.allowed': unsupported(
      'Codex controls access by sandbox and approval policy, not by tool name.',
    ),
    'tools.disallowed': unsupported(
      'Codex controls access by sandbox and approval policy, not by tool name.',
    ),
    settings: mapped('passed as -c key=value, which other users can see in the process list'),
    mcpConfig: mapped(
      'servers of the thread, in addition to those in config.toml; values of env and headers are not visible in the process list',
    ),
    rawArgs: mapped('added to the command line'),
    permissionMode: mapped(
      'ask and auto: approval policy "untrusted". Codex still reads images, searches the web through its provider, starts sub-agents (whose tools ask), uses read-only tools of the user\'s own MCP servers, and runs what the user\'s own rules allow, all without asking. allow-all: no sandbox, no questions. print: no one can be asked, so ask is the read-only sandbox and auto the workspace-write sandbox. The interactive mode asks when one of these sandboxes blocks an action',
    ),
    resume: mapped('thread/resume, or exec resume'),
    fork: mapped('thread/fork, or exec fork'),
    sessionId: unsupported('Codex chooses its own thread ids.'),
    outputSchema: mapped('passed to the model as a strict schema; Baton validates the answer'),
    budgetUsd: emulated(
      'Baton estimates the cost, because Codex reports only tokens: requires providerOptions.prices, or a known price of the model that is named or, live, that Codex reports',
    ),
    images: mapped('local files or inline data'),
  },
  permissionModes: ['ask', 'auto', 'allow-all'],
  transports: ['live', 'print'],
  stop: 'verified',
});

/** Registry entry of Codex, available before its adapter is loaded. Keep the imports of this file cheap. */
export const codexEntry: BackendEntry = {
  specVersion: 1,
  id: 'codex-cli',
  label: 'Codex',
  aliases: ['codex', 'openai-codex', 'codex_cli'],
  capabilities: codexCapabilities,
  testedVersions: { oldest: '0.153.4', newest: '0.169.0' },
  install: 'baton backends install codex',
  npmPackage: '@openai/codex',
  binary: { name: 'codex', envVar: 'BATON_CODEX_BIN', nativeOf: nativeBinary },
  settingsPaths: ['.codex'],
  keyVariables: async (env) => (await import('./credentials.ts')).codexKeyVariables(env),
  ownPaths: async (env) => [(await import('./codex-home.ts')).codexHome(env)],
  mcpFile: {
    path: async (env) => (await import('./codex-home.ts')).codexConfigPath(env),
    key: 'mcp_servers',
    format: 'toml',
    stdio: { command: 'command', args: 'args', env: 'env' },
    http: { url: 'url', headers: 'http_headers' },
  },
  load: async () => (await import('./backend.ts')).codexAdapter,
};
