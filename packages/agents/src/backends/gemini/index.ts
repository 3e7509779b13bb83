import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { capabilities, emulated, mapped, unsupported } from '@baton/engine/kit/capabilities';

const geminiCapabilities = capabilities({
  agent: 'Gemini CLI',
  features: [
    'streaming',
    'thinking',
    'permissions',
    'resume',
    'interactive',
    'conversation',
    'systemPrompt',
    'maxTurns',
    'structuredOutput',
    'mcp',
    'images',
    'usage',
    'subagents',
    'diffs',
  ],
  options: {
    systemPrompt: emulated('prepended to the first prompt'),
    model: mapped('--model'),
    maxTurns: emulated('Baton counts turns and interrupts'),
    'tools.allowed': unsupported('Gemini CLI controls access by policy files, not by tool name.'),
    'tools.disallowed': unsupported(
      'Gemini CLI controls access by policy files, not by tool name.',
    ),
    mcpConfig: mapped('the MCP servers of the session; not with the print transport'),
    rawArgs: mapped('added to the command line'),
    permissionMode: mapped(
      'ask and auto: approval mode "default" and a policy file: Gemini asks for everything except reading with its own tools, its todo list and web search; every command asks. Gemini reports neither the output nor the exit code of a command. allow-all: approval mode "yolo". print: no one can be asked, so Gemini has no tools that change anything in ask, and auto is refused',
    ),
    resume: mapped('session/load, or --resume'),
    sessionId: unsupported('Gemini CLI chooses its own session ids.'),
    outputSchema: emulated('Baton asks for JSON and validates it'),
    images: mapped('content blocks of the prompt; not with the print transport'),
  },
  permissionModes: ['ask', 'auto', 'allow-all'],
  transports: ['live', 'print'],
  stop: 'verified',
});

/** Registry entry of Gemini CLI, available before its adapter is loaded. Keep the imports of this file cheap. */
export const geminiEntry: BackendEntry = {
  specVersion: 1,
  id: 'gemini-cli',
  label: 'Gemini CLI',
  aliases: ['gemini', 'google-gemini', 'gemini_cli'],
  capabilities: geminiCapabilities,
  testedVersions: { oldest: '0.61.0', newest: '0.61.0' },
  install: 'baton backends install gemini',
  npmPackage: '@google/gemini-cli',
  binary: { name: 'gemini', envVar: 'BATON_GEMINI_BIN' },
  settingsPaths: ['.gemini'],
  keyVariables: async () => ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
  ownPaths: async (env) => [(await import('./gemini-home.ts')).geminiFolder(env)],
  mcpFile: {
    path: async (env) => (await import('./gemini-home.ts')).geminiSettingsPath(env),
    key: 'mcpServers',
    format: 'json-comments',
    stdio: { command: 'command', args: 'args', env: 'env' },
    http: { type: 'http', url: 'url', formerUrl: 'httpUrl', headers: 'headers' },
    sse: { type: 'sse', url: 'url', headers: 'headers' },
  },
  load: async () => (await import('./backend.ts')).geminiAdapter,
};
