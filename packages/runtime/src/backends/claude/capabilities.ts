import type { Capabilities } from '@baton/protocol';
import { emulated, mapped } from '../support.ts';

/** What Claude Code can do through Baton, and how each option reaches it. */
export const claudeCapabilities: Capabilities = {
  features: {
    streaming: true,
    thinking: true,
    permissions: true,
    questions: true,
    steer: true,
    resume: true,
    fork: true,
    interactive: true,
    conversation: true,
    systemPrompt: true,
    toolFilters: true,
    maxTurns: true,
    structuredOutput: true,
    mcp: true,
    images: true,
    usage: true,
    cost: true,
    plan: true,
    subagents: true,
    diffs: true,
  },
  options: {
    systemPrompt: mapped('--append-system-prompt-file with a private file'),
    cwd: mapped('the working directory of the process'),
    env: mapped('the environment of the process'),
    model: mapped('--model'),
    maxTurns: mapped('--max-turns, for each prompt'),
    'tools.allowed': mapped('--allowedTools: these run without being asked about'),
    'tools.disallowed': mapped('--disallowedTools: these cannot be used at all'),
    settings: mapped('--settings with the given file, or a private file with the values'),
    mcpConfig: mapped("--mcp-config; the user's own servers stay"),
    providerOptions: mapped(
      'addDirs (--add-dir), agents (--agents), effort (--effort), fallbackModel (--fallback-model), ' +
        'plan: true (--permission-mode plan), outputFormat of the print transport (--output-format)',
    ),
    rawArgs: mapped('put at the end of the command line'),
    permissionMode: mapped(
      'live: ask and auto register a PreToolUse hook that makes Claude ask for everything but reads in the workspace; ' +
        'allow-all is --dangerously-skip-permissions. print: nobody can be asked, so ask denies what would be asked for ' +
        '(ask rules in --settings) and auto also accepts edits (--permission-mode acceptEdits)',
    ),
    resume: mapped('--resume, in the directory where the session was started'),
    fork: mapped('--fork-session'),
    sessionId: mapped('--session-id, a UUID'),
    outputSchema: mapped('--json-schema'),
    timeouts: emulated('Baton watches the clock'),
    budgetUsd: mapped('--max-budget-usd, for the conversation as a whole'),
    images: mapped('content blocks of the prompt; not with the print transport'),
  },
  permissionModes: ['ask', 'auto', 'allow-all'],
  transports: ['live', 'print', 'plain'],
  stop: 'verified',
};
