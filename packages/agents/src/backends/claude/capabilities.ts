import { capabilities, mapped } from '@baton/engine/kit/capabilities';

/** Capabilities of Claude Code through Baton, and the support for each option. */
export const claudeCapabilities = capabilities({
  agent: 'Claude Code',
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
    'toolFilters',
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
    systemPrompt: mapped('--append-system-prompt-file with a private file'),
    model: mapped('--model'),
    maxTurns: mapped('--max-turns, per prompt'),
    'tools.allowed': mapped('--allowedTools: run without asking'),
    'tools.disallowed': mapped('--disallowedTools: never available'),
    settings: mapped('--settings with the given file, or a private file for inline values'),
    mcpConfig: mapped("--mcp-config; the user's own servers remain available"),
    providerOptions: mapped(
      'addDirs (--add-dir), agents (--agents), effort (--effort), fallbackModel (--fallback-model), ' +
        'plan: true (--permission-mode plan), outputFormat of the print transport (--output-format)',
    ),
    rawArgs: mapped('appended to the command line'),
    permissionMode: mapped(
      'live: ask and auto register a PreToolUse hook that makes Claude ask for everything but reads in the workspace; ' +
        'allow-all is --dangerously-skip-permissions. print: no one can be asked, so ask denies what would need approval ' +
        '(ask rules in --settings) and auto also accepts edits (--permission-mode acceptEdits)',
    ),
    resume: mapped('--resume, in the directory where the session was started'),
    fork: mapped('--fork-session'),
    sessionId: mapped('--session-id, a UUID'),
    outputSchema: mapped('--json-schema'),
    budgetUsd: mapped('--max-budget-usd, for the whole conversation'),
    images: mapped('content blocks of the prompt; not with the print transport'),
  },
  permissionModes: ['ask', 'auto', 'allow-all'],
  transports: ['live', 'print', 'plain'],
  stop: 'verified',
});
