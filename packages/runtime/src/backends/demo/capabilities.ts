import type { Capabilities } from '@baton/protocol';

const mapped = (how: string) => ({ support: 'mapped', how }) as const;
const emulated = (how: string) => ({ support: 'emulated', how }) as const;
const unsupported = (how: string) => ({ support: 'unsupported', how }) as const;

export const demoCapabilities: Capabilities = {
  features: {
    streaming: true,
    thinking: true,
    permissions: true,
    questions: true,
    steer: true,
    resume: true,
    fork: true,
    interactive: false,
    conversation: true,
    systemPrompt: true,
    toolFilters: false,
    maxTurns: true,
    structuredOutput: true,
    mcp: false,
    images: false,
    usage: true,
    cost: true,
    plan: true,
    subagents: false,
    diffs: true,
  },
  options: {
    systemPrompt: emulated('put in front of the first prompt'),
    cwd: mapped('the working directory of the process'),
    env: mapped('the environment of the process'),
    model: unsupported('the demo agent has no model.'),
    maxTurns: emulated('Baton counts the turns'),
    'tools.allowed': unsupported('the demo agent has no tool filter.'),
    'tools.disallowed': unsupported('the demo agent has no tool filter.'),
    settings: unsupported('the demo agent has no settings.'),
    mcpConfig: unsupported('the demo agent has no MCP client.'),
    providerOptions: mapped('pace: milliseconds between two words'),
    rawArgs: unsupported('the demo agent takes no arguments.'),
    permissionMode: mapped('it asks before it writes or runs anything'),
    resume: mapped('by session id'),
    fork: mapped('copies the session'),
    sessionId: mapped('used for a new session'),
    outputSchema: emulated('Baton checks the answer with Ajv'),
    timeouts: emulated('Baton watches the clock'),
    budgetUsd: emulated('Baton watches the cost, which is always 0'),
    images: unsupported('the demo agent cannot see.'),
  },
  permissionModes: ['ask', 'auto', 'allow-all'],
  transports: ['live'],
  stop: 'verified',
};
