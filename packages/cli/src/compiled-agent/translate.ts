import {
  BatonError,
  type Capabilities,
  type OptionName,
  type RunOptions,
} from '@baton/protocol/values';
import type { Flags } from './flags.ts';
import type { WholeAgent } from './included-files.ts';

/** The flags that become options of a run. */
const FLAG_OPTIONS = {
  model: ['--model', 'model'],
  maxTurns: ['--max-turns', 'maxTurns'],
  allowedTools: ['--allowedTools', 'tools.allowed'],
  disallowedTools: ['--disallowedTools', 'tools.disallowed'],
  mcpConfig: ['--mcp-config', 'mcpConfig'],
  settings: ['--settings', 'settings'],
  appendSystemPrompt: ['--append-system-prompt', 'systemPrompt'],
  resume: ['--resume', 'resume'],
  fork: ['--fork-session', 'fork'],
  sessionId: ['--session-id', 'sessionId'],
  rawArgs: ['--raw-arg', 'rawArgs'],
} as const satisfies Partial<Record<keyof Flags, readonly [string, OptionName]>>;

/** Options of an agent file that apply to its own backend only, with the flag for another one. */
const FOR_OWN_BACKEND = {
  model: '--model',
  'tools.allowed': '--allowedTools',
  settings: '--settings',
  providerOptions: undefined,
} as const satisfies Partial<Record<OptionName, string | undefined>>;

export type Destination = {
  label: string;
  capabilities: Pick<Capabilities, 'options'>;
  /** The backend that the agent file was written for, if it differs. */
  writtenFor: string | undefined;
  /** Set for Claude Code, whose further flags are passed on. */
  isClaude: boolean;
  /** True if the agent's own interface is opened. */
  interactive: boolean;
};

/** The options of a run; its schema may be that of a library. */
export type AgentOptions = Omit<RunOptions, 'outputSchema'> & Pick<WholeAgent, 'outputSchema'>;

type Translation = { options: AgentOptions; warnings: string[] };

/**
 * Translates an agent and the flags of a call into the options of a run. An unsupported flag is an error; a flag that
 * only tunes the run, and options for another backend, are omitted with a warning.
 */
export function translate(agent: WholeAgent, flags: Flags, to: Destination): Translation {
  const warnings: string[] = [];
  checkFlags(flags, to);
  checkClaudeFlags(flags, to);
  const own = ownValues(agent, to, warnings);
  const transport = flags.transport ?? own.transport;
  const rawArgs = [...flags.claudeArgs, ...flags.rawArgs];
  const options: AgentOptions = {
    systemPrompt: joined(agent.systemPrompt, flags.appendSystemPrompt),
    cwd: agent.cwd,
    env: agent.env,
    model: flags.model ?? own.model,
    tools: {
      allowed: allowedTools(own, flags, to, warnings),
      disallowed: both(agent.tools?.disallowed, flags.disallowedTools),
    },
    settings: flags.settings ?? own.settings,
    mcpConfig: servers(agent, flags),
    providerOptions: own.providerOptions,
    // A transport may have no modes; then only a mode that somebody chose is an error.
    permissionMode: flags.permissionMode ?? agent.permissionMode ?? (transport ? undefined : 'ask'),
    resume: flags.resume,
    fork: flags.fork,
    sessionId: flags.sessionId,
    ...(rawArgs.length > 0 ? { rawArgs } : {}),
  };
  if (to.interactive) {
    if (flags.maxTurns !== undefined) warnings.push('--max-turns has no effect without --print.');
    if (flags.transport !== undefined) warnings.push('--transport has no effect without --print.');
    return { options, warnings };
  }
  const { outputSchema, timeouts, budgetUsd } = agent;
  const maxTurns = flags.maxTurns ?? agent.maxTurns;
  return {
    options: { ...options, mode: 'print', transport, maxTurns, outputSchema, timeouts, budgetUsd },
    warnings,
  };
}

function checkFlags(flags: Flags, { label, capabilities, interactive }: Destination): void {
  const refused = Object.entries(FLAG_OPTIONS)
    .filter(([name]) => isGiven(flags[name as keyof typeof FLAG_OPTIONS]))
    // Omitted with a warning.
    .filter(([name]) => name !== 'allowedTools' && !(name === 'maxTurns' && interactive))
    .filter(([, [, option]]) => capabilities.options[option].support === 'unsupported');
  if (refused.length === 0) return;
  const reasons = refused.map(([, [flag, option]]) =>
    reasonFor(flag, capabilities.options[option].how),
  );
  throw new BatonError('capability_missing', `${label} does not support ${reasons.join(', ')}.`, {
    hint: `Omit ${refused.map(([, [flag]]) => flag).join(', ')}, or choose another backend with --backend.`,
  });
}

function checkClaudeFlags({ claudeArgs }: Flags, { label, isClaude }: Destination): void {
  const given = [...new Set(claudeArgs.filter((arg) => arg.startsWith('--')))];
  if (isClaude || given.length === 0) return;
  throw new BatonError('capability_missing', `${label} does not have ${given.join(', ')}.`, {
    hint: 'These flags are for Claude Code. Pass those of another agent with --raw-arg.',
  });
}

function reasonFor(flag: string, how: string): string {
  const reason = how.replace(/\.$/, '');
  return reason.endsWith('does not support it') ? flag : `${flag} (${reason})`;
}

type OwnValues = Pick<WholeAgent, 'model' | 'settings' | 'providerOptions' | 'transport'> & {
  allowed?: string[] | undefined;
};

/** Returns the values for the agent file's own backend, such as tool names; another backend gets none of them. */
function ownValues(agent: WholeAgent, to: Destination, warnings: string[]): OwnValues {
  const { model, settings, providerOptions, transport, tools } = agent;
  const own = { model, settings, providerOptions, transport, allowed: tools?.allowed };
  if (to.writtenFor === undefined) return own;
  const values = { model, settings, providerOptions, 'tools.allowed': tools?.allowed };
  for (const [name, flag] of Object.entries(FOR_OWN_BACKEND)) {
    if (!isGiven(values[name as keyof typeof values])) continue;
    const canSet = flag && to.capabilities.options[name as OptionName].support !== 'unsupported';
    warnings.push(
      `${name} in the agent file applies only to ${to.writtenFor}; ${to.label} runs without it.${canSet ? ` Set it with ${flag}.` : ''}`,
    );
  }
  return {};
}

/**
 * Omits unsupported allowed tools with a warning: without them more is asked for, or denied, which is no reason to
 * fail.
 */
function allowedTools(
  own: OwnValues,
  flags: Flags,
  { label, capabilities }: Destination,
  warnings: string[],
): string[] | undefined {
  const allowed = both(own.allowed, flags.allowedTools);
  const { support, how } = capabilities.options['tools.allowed'];
  if (!allowed || support !== 'unsupported') return allowed;
  const name = flags.allowedTools.length > 0 ? '--allowedTools' : 'tools.allowed in the agent file';
  warnings.push(`${label} runs without ${reasonFor(name, how)}.`);
  return undefined;
}

function servers(agent: WholeAgent, flags: Flags): RunOptions['mcpConfig'] {
  if (!flags.mcpConfig || !agent.mcpConfig) return flags.mcpConfig ?? agent.mcpConfig;
  return { mcpServers: { ...agent.mcpConfig.mcpServers, ...flags.mcpConfig.mcpServers } };
}

function joined(own: string | undefined, more: string | undefined): string | undefined {
  return own === undefined || more === undefined ? (own ?? more) : `${own}\n\n${more}`;
}

function both(own: readonly string[] = [], more: readonly string[]): string[] | undefined {
  const all = [...new Set([...own, ...more])];
  return all.length > 0 ? all : undefined;
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}
