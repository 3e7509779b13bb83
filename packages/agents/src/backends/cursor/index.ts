import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { UNTYPED_SERVERS } from '@baton/engine/definition/mcp-file';
import { capabilities, emulated, mapped, unsupported } from '@baton/engine/kit/capabilities';

const cursorCapabilities = capabilities({
  agent: 'Cursor',
  features: [
    'streaming',
    'thinking',
    'resume',
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
    systemPrompt: emulated('prepended to the first prompt'),
    model: mapped('--model'),
    maxTurns: emulated('Baton counts turns and interrupts'),
    mcpConfig: mapped('the MCP servers of the session; not with the print transport'),
    providerOptions: mapped(
      'mode (ask, plan): a mode of Cursor in which it only reads; only with the print transport',
    ),
    rawArgs: mapped('added to the command line'),
    permissionMode: mapped(
      'allow-all: --force, and every request is granted. Cursor edits files in the workspace without asking, whatever its settings say, so ask and auto are refused. A folder that nobody trusted and that has settings for Cursor is refused',
    ),
    resume: mapped('session/load, or --resume'),
    sessionId: unsupported('Cursor chooses its own session ids.'),
    outputSchema: emulated('Baton asks for JSON and validates it'),
    images: mapped('content blocks of the prompt; not with the print transport'),
  },
  permissionModes: ['allow-all'],
  transports: ['live', 'print'],
  stop: 'verified',
});

/** Registry entry of Cursor's agent, available before its adapter is loaded. Keep the imports of this file cheap. */
export const cursorEntry: BackendEntry = {
  specVersion: 1,
  id: 'cursor-cli',
  label: 'Cursor CLI',
  aliases: ['cursor', 'cursor-agent', 'cursor_cli'],
  capabilities: cursorCapabilities,
  install: 'curl https://cursor.com/install -fsS | bash',
  // The installer also makes a link "agent", a name that other programs have too; "cursor" is the editor.
  binary: { name: 'cursor-agent', envVar: 'BATON_CURSOR_BIN' },
  // It can run the hooks of Claude Code too.
  settingsPaths: ['.cursor', '.cursorrules', '.claude'],
  keyVariables: async () => ['CURSOR_API_KEY', 'CURSOR_AUTH_TOKEN'],
  ownPaths: async (env) => (await import('./cursor-home.ts')).cursorFolders(env),
  mcpFile: {
    path: async (env) => (await import('./cursor-home.ts')).cursorMcpPath(env),
    key: 'mcpServers',
    format: 'jsonc',
    ...UNTYPED_SERVERS,
  },
  load: async () => (await import('./backend.ts')).cursorAdapter,
};
