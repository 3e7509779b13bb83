import type { Settings } from '@baton/config/settings';
import { PERMISSION_MODES, type RunOptions } from '@baton/protocol/values';
import {
  isSet,
  type OptionTable,
  type Parsed,
  settingOption,
  textOf,
  textsOf,
} from '../arguments/command.ts';
import { readJsonFile } from '../arguments/json-file.ts';
import { optionValue } from '../arguments/option-value.ts';
import { readPairs } from '../arguments/pairs.ts';

/** The options that select and configure an agent. */
export const AGENT_OPTIONS: OptionTable = {
  backend: settingOption('backend', { short: 'b', value: 'NAME', choices: 'backends' }),
  model: settingOption('model', { short: 'm', value: 'MODEL' }),
  cwd: {
    type: 'string',
    short: 'C',
    value: 'DIR',
    about: 'working folder',
    choices: 'files',
  },
  'permission-mode': settingOption('permissionMode', {
    short: 'p',
    value: 'MODE',
    choices: PERMISSION_MODES,
  }),
  'system-prompt': settingOption('systemPrompt', { value: 'TEXT' }),
  'allowed-tools': settingOption('allowedTools', { value: 'A,B' }),
  'disallowed-tools': settingOption('disallowedTools', { value: 'A,B' }),
  resume: {
    type: 'string',
    short: 'r',
    value: 'ID',
    about: 'resume an agent session',
  },
  'mcp-config': {
    type: 'string',
    value: 'FILE',
    about: 'MCP servers for this run',
    choices: 'files',
  },
  settings: {
    type: 'string',
    value: 'FILE',
    about: 'settings file for the agent',
    choices: 'files',
  },
  env: {
    type: 'string',
    multiple: true,
    value: 'KEY=VALUE',
    about: 'environment variable for the agent',
  },
  'raw-arg': {
    type: 'string',
    multiple: true,
    value: 'ARG',
    about: "extra argument for the agent's command line",
  },
};

/** The further options of a non-interactive run. */
export const RUN_OPTIONS: OptionTable = {
  'max-turns': settingOption('maxTurns', { value: 'N' }),
  fork: { type: 'boolean', about: 'fork the resumed session' },
  'session-id': { type: 'string', value: 'ID', about: 'id for the new session' },
  'output-schema': {
    type: 'string',
    value: 'FILE',
    about: 'JSON Schema the answer must match',
    choices: 'files',
  },
  'output-schema-retry': { type: 'boolean', about: 'retry once if the answer does not match' },
  image: {
    type: 'string',
    multiple: true,
    value: 'FILE',
    about: 'image to attach to the prompt',
    choices: 'files',
  },
  timeout: settingOption('timeout', { short: 't', value: 'TIME' }),
  'start-timeout': settingOption('startTimeout', { value: 'TIME' }),
  'idle-timeout': settingOption('idleTimeout', { value: 'TIME' }),
  budget: settingOption('budgetUsd', { value: 'USD' }),
  retries: settingOption('retries', { value: 'N' }),
  'acp-command': settingOption('acpCommand', { value: 'COMMAND' }),
  transport: {
    type: 'string',
    value: 'NAME',
    about: 'transport, such as live or print',
  },
  option: {
    type: 'string',
    multiple: true,
    value: 'KEY=VALUE',
    about: 'agent-specific option',
  },
};

/** Builds the options that select and configure an agent from flags and settings. */
export function agentOptions(parsed: Parsed, settings: Settings): RunOptions {
  const allowed = settings.get('allowedTools');
  const disallowed = settings.get('disallowedTools');
  const rawArgs = textsOf(parsed, 'raw-arg');
  return {
    cwd: textOf(parsed, 'cwd'),
    model: settings.get('model'),
    systemPrompt: settings.get('systemPrompt'),
    permissionMode: settings.get('permissionMode'),
    tools: allowed || disallowed ? { allowed, disallowed } : undefined,
    env: readPairs(textsOf(parsed, 'env'), '--env'),
    settings: textOf(parsed, 'settings'),
    mcpConfig: textOf(parsed, 'mcp-config'),
    resume: textOf(parsed, 'resume'),
    rawArgs: rawArgs.length > 0 ? rawArgs : undefined,
  };
}

/** Makes the options of a run out of flags and settings. */
export function runOptions(parsed: Parsed, settings: Settings): RunOptions {
  const schema = textOf(parsed, 'output-schema');
  const attempts = settings.get('retries');
  const images = textsOf(parsed, 'image');
  return {
    ...agentOptions(parsed, settings),
    maxTurns: settings.get('maxTurns'),
    fork: isSet(parsed, 'fork') || undefined,
    sessionId: textOf(parsed, 'session-id'),
    outputSchema: schema === undefined ? undefined : readJsonFile(schema, 'output schema'),
    outputSchemaRetry: isSet(parsed, 'output-schema-retry') || undefined,
    images: images.length > 0 ? images.map((path) => ({ path })) : undefined,
    timeouts: {
      totalMs: settings.get('timeout'),
      startMs: settings.get('startTimeout'),
      idleMs: settings.get('idleTimeout'),
    },
    retry: attempts ? { attempts } : undefined,
    budgetUsd: settings.get('budgetUsd'),
    transport: textOf(parsed, 'transport'),
    providerOptions: providerOptions(textsOf(parsed, 'option')),
  };
}

function providerOptions(pairs: readonly string[]): Record<string, unknown> | undefined {
  if (pairs.length === 0) return undefined;
  const entries = Object.entries(readPairs(pairs, '--option'));
  return Object.fromEntries(entries.map(([name, text]) => [name, optionValue(text)]));
}
