import type { Capabilities } from '@baton/protocol';
import { emulated, mapped, unsupported } from '../support.ts';

/** What Codex can do through Baton. */
export const codexCapabilities: Capabilities = {
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
    toolFilters: false,
    maxTurns: true,
    structuredOutput: true,
    mcp: true,
    images: true,
    usage: true,
    cost: false,
    plan: true,
    subagents: true,
    diffs: true,
  },
  options: {
    systemPrompt: mapped(
      'developer instructions of a new thread; in front of the first prompt of a resumed one',
    ),
    cwd: mapped('the working directory of the process and of the thread'),
    env: mapped('the environment of the process'),
    model: mapped('model of the thread, or --model'),
    maxTurns: emulated('Baton counts the turns and interrupts'),
    'tools.allowed': unsupported(
      'Codex decides by sandbox and approval, not by the name of a tool.',
    ),
    'tools.disallowed': unsupported(
      'Codex decides by sandbox and approval, not by the name of a tool.',
    ),
    settings: mapped('values become -c key=value, which other users can see in the process list'),
    mcpConfig: mapped(
      'servers of the thread, beside the ones in config.toml; values of env and headers never show in the process list',
    ),
    providerOptions: mapped(
      'prices: { inputPerMillion, cachedInputPerMillion, outputPerMillion } in US dollars',
    ),
    rawArgs: mapped('added to the command line'),
    permissionMode: mapped(
      "ask and auto: approval policy \"untrusted\". Without asking Codex still looks at pictures, searches the web through its provider, starts sub-agents (whose tools ask), uses tools of the user's own MCP servers that say they only read, and runs what the user's own rules allow. allow-all: no sandbox, no questions. Through print nobody can be asked: ask is the read-only sandbox, auto the workspace-write one. Codex's own interface asks when one of these sandboxes is in the way",
    ),
    resume: mapped('thread/resume, or exec resume'),
    fork: mapped('thread/fork, or exec fork'),
    sessionId: unsupported('Codex names its threads itself.'),
    outputSchema: mapped(
      'given to the model as a strict schema; Codex does not check it, Baton does',
    ),
    timeouts: emulated('Baton watches the clock'),
    budgetUsd: emulated(
      'Baton adds up the cost of the conversation from providerOptions.prices, because Codex reports only tokens',
    ),
    images: mapped('local files or data of the prompt'),
  },
  permissionModes: ['ask', 'auto', 'allow-all'],
  transports: ['live', 'print'],
  stop: 'verified',
};
