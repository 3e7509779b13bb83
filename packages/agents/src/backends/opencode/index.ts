import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { capabilities, emulated, mapped, unsupported } from '@baton/engine/kit/capabilities';

const openCodeCapabilities = capabilities({
  agent: 'OpenCode',
  features: [
    'streaming',
    'thinking',
    'permissions',
    'questions',
    'steer',
    'resume',
    'fork',
    'conversation',
    'systemPrompt',
    'maxTurns',
    'structuredOutput',
    'mcp',
    'images',
    'usage',
    'cost',
    'plan',
    'subagents',
    'diffs',
  ],
  options: {
    systemPrompt: emulated('prepended to the first prompt'),
    model: mapped('the model of each prompt, or --model: provider/model'),
    maxTurns: emulated('Baton counts turns and interrupts'),
    'tools.allowed': unsupported('OpenCode controls access by permission rules, not by tool name.'),
    'tools.disallowed': unsupported(
      'OpenCode controls access by permission rules, not by tool name.',
    ),
    mcpConfig: mapped(
      'added to the server before the session starts; not with the print transport',
    ),
    rawArgs: mapped('added to the command line'),
    permissionMode: mapped(
      'ask and auto: rules of the session, which take precedence over those of the user, the folder and the OpenCode agent: everything asks except reading, the todo list, skills and starting sub-agents (whose tools ask); denials stay denials. allow-all: every request is granted. print: no one can be asked, so ask denies what would ask, and auto is refused',
    ),
    resume: mapped('the session of its id, or --session'),
    fork: mapped('a copy of the session, or --fork'),
    sessionId: unsupported('OpenCode chooses its own session ids.'),
    outputSchema: emulated('Baton asks for JSON and validates it'),
    budgetUsd: emulated('Baton adds up the cost of the conversation'),
    images: mapped('files of the prompt; not with the print transport'),
  },
  permissionModes: ['ask', 'auto', 'allow-all'],
  transports: ['live', 'print'],
  stop: 'verified',
});

/** Registry entry of OpenCode, available before its adapter is loaded. Keep the imports of this file cheap. */
export const openCodeEntry: BackendEntry = {
  specVersion: 1,
  id: 'opencode-cli',
  label: 'OpenCode',
  aliases: ['opencode', 'opencode_cli'],
  capabilities: openCodeCapabilities,
  testedVersions: { oldest: '1.18.33', newest: '1.18.33' },
  install: 'baton backends install opencode',
  npmPackage: 'opencode-ai',
  binary: { name: 'opencode', envVar: 'BATON_OPENCODE_BIN' },
  settingsPaths: ['.opencode', 'opencode.json', 'opencode.jsonc', 'tui.json', 'tui.jsonc'],
  keyVariables: async () => (await import('./opencode-home.ts')).KEY_VARIABLES,
  ownPaths: async (env) => Object.values((await import('./opencode-home.ts')).openCodeFolders(env)),
  mcpFile: {
    path: async (env) => (await import('./opencode-home.ts')).openCodeConfigPath(env),
    key: 'mcp',
    format: 'jsonc',
    stdio: { type: 'local', command: 'command', env: 'environment' },
    http: { type: 'remote', url: 'url', headers: 'headers' },
    sse: { type: 'remote', url: 'url', headers: 'headers' },
  },
  load: async () => (await import('./backend.ts')).openCodeAdapter,
};
