import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { TYPED_SERVERS } from '@baton/engine/definition/mcp-file';
import { capabilities, emulated, mapped } from '@baton/engine/kit/capabilities';

const droidCapabilities = capabilities({
  agent: 'Droid',
  features: [
    'streaming',
    'thinking',
    'permissions',
    'questions',
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
    'diffs',
  ],
  options: {
    systemPrompt: mapped(
      'appended to that of Droid when a session begins, or --append-system-prompt-file',
    ),
    model: mapped('model of the session, or --model'),
    maxTurns: emulated('Baton counts turns and interrupts'),
    settings: mapped('--settings'),
    mcpConfig: mapped('the MCP servers of the session; not with the print transport'),
    providerOptions: mapped(
      'autonomy_level (off, low, medium, high): --auto, or that of the session, in mode allow-all only; reasoning_effort (off, low, medium, high, xhigh, max): --reasoning-effort, or that of the session',
    ),
    rawArgs: mapped('added to the command line'),
    permissionMode: mapped(
      'ask and auto: autonomy level "off", a deny list of all commands that settings allow, and no sub-agents. Droid\'s other levels, and its read-only default through print, are not safe: they trust the risk that the model itself attributes to a command. Without asking Droid still reads files, and does what the user\'s organisation allows, what hooks of the user or of a trusted folder allow, and what MCP tools the user allowed for good. A refusal ends Droid\'s turn, so Baton tells it to go on. allow-all: autonomy level "high", or --skip-permissions-unsafe through print. Through print nobody can be asked: in ask Droid has no tools but Read, LS, Grep and Glob, and auto is refused. A folder that nobody trusted and that has settings for Droid is refused',
    ),
    resume: mapped('load_session, or --session-id'),
    fork: mapped('fork_session, or --fork'),
    sessionId: mapped('the id of the new session, a UUID'),
    outputSchema: emulated('Baton asks for JSON and validates it'),
    images: mapped('images of the prompt; not with the print transport'),
  },
  permissionModes: ['ask', 'auto', 'allow-all'],
  transports: ['live', 'print'],
  stop: 'verified',
});

/** Registry entry of Droid, available before its adapter is loaded. Keep the imports of this file cheap. */
export const droidEntry: BackendEntry = {
  specVersion: 1,
  id: 'droid',
  label: 'Droid',
  aliases: ['factory-droid', 'factory', 'droid-cli', 'droid-exec'],
  capabilities: droidCapabilities,
  testedVersions: { oldest: '0.215.0', newest: '0.215.0' },
  install: 'baton backends install droid',
  npmPackage: 'droid',
  binary: { name: 'droid', envVar: 'BATON_DROID_BIN' },
  settingsPaths: ['.factory'],
  keyVariables: async () => ['FACTORY_API_KEY'],
  ownPaths: async (env) => [(await import('./droid-home.ts')).droidFolder(env)],
  mcpFile: {
    path: async (env) => (await import('./droid-home.ts')).droidMcpPath(env),
    key: 'mcpServers',
    format: 'json-comments',
    ...TYPED_SERVERS,
  },
  load: async () => (await import('./backend.ts')).droidAdapter,
};
