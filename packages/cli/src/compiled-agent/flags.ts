import { resolve } from 'node:path';
import {
  BatonError,
  type McpConfig,
  type PermissionMode,
  type WorkspaceRequest,
} from '@baton/protocol/values';
import type { AgentDefinition } from '@baton/runtime/agent';
import {
  type Command,
  isSet,
  type OptionTable,
  type Parsed,
  textOf,
  textsOf,
} from '../arguments/command.ts';
import { readJsonFile } from '../arguments/json-file.ts';
import { WORKSPACE_OPTIONS, workspaceOptions } from '../arguments/workspace-options.ts';
import { splitTools } from './split-tools.ts';

const OPTIONS: OptionTable = {
  backend: { type: 'string', short: 'b', value: 'NAME', about: 'agent that runs the prompt' },
  print: { type: 'boolean', short: 'p', about: 'print the answer instead of opening the agent' },
  json: { type: 'boolean', about: 'print events as JSON, one per line' },
  verbose: { type: 'boolean', about: 'show the backend, key options and the command line' },
  model: { type: 'string', value: 'MODEL', about: 'model' },
  'max-turns': { type: 'string', value: 'N', about: 'maximum number of turns, with --print' },
  allowedTools: {
    type: 'string',
    multiple: true,
    value: 'A,B',
    about: 'tools that run without asking',
  },
  disallowedTools: {
    type: 'string',
    multiple: true,
    value: 'A,B',
    about: 'tools that are not available',
  },
  'mcp-config': {
    type: 'string',
    multiple: true,
    value: 'FILE|JSON',
    about: 'further MCP servers',
  },
  settings: { type: 'string', value: 'FILE|JSON', about: "the agent's own settings" },
  'append-system-prompt': { type: 'string', value: 'TEXT', about: 'further instructions' },
  resume: { type: 'string', short: 'r', value: 'ID', about: 'resume a session of the agent' },
  continue: {
    type: 'boolean',
    short: 'c',
    about: 'Claude Code: continue the last session of the folder',
  },
  'fork-session': { type: 'boolean', about: 'with --resume: continue in a copy of the session' },
  'session-id': { type: 'string', value: 'ID', about: 'id of the new session' },
  'add-dir': {
    type: 'string',
    multiple: true,
    value: 'DIR',
    about: 'Claude Code: further folders that tools may use',
  },
  'fallback-model': {
    type: 'string',
    value: 'MODEL',
    about: 'Claude Code: model to use if the first is overloaded',
  },
  'output-format': {
    type: 'string',
    value: 'FORMAT',
    about: 'text, or stream-json for the same as --print --json',
  },
  'raw-arg': {
    type: 'string',
    multiple: true,
    value: 'ARG',
    about: "argument for the agent's command line, passed unchanged; as --raw-arg=ARG",
  },
  'permission-mode': {
    type: 'string',
    value: 'MODE',
    about: 'ask, or auto to allow edits in the folder',
  },
  'dangerously-skip-permissions': { type: 'boolean', about: 'allow everything without asking' },
  transport: { type: 'string', value: 'NAME', about: 'transport, such as live or print' },
  ...WORKSPACE_OPTIONS,
};

/** Alternative spellings of Claude Code. */
const ALIASES: Readonly<Record<string, string>> = {
  '--allowed-tools': '--allowedTools',
  '--disallowed-tools': '--disallowedTools',
};

/** Permission modes of Baton, and the equivalent ones of Claude Code. */
const MODES: ReadonlyMap<string, PermissionMode> = new Map([
  ['ask', 'ask'],
  ['auto', 'auto'],
  ['allow-all', 'allow-all'],
  ['default', 'ask'],
  ['acceptEdits', 'auto'],
  ['bypassPermissions', 'allow-all'],
]);

/** Flags of a compiled agent. */
export type Flags = {
  backend?: string | undefined;
  print: boolean;
  json: boolean;
  verbose: boolean;
  model?: string | undefined;
  maxTurns?: number | undefined;
  allowedTools: string[];
  disallowedTools: string[];
  mcpConfig?: McpConfig | undefined;
  settings?: string | Record<string, unknown> | undefined;
  appendSystemPrompt?: string | undefined;
  resume?: string | undefined;
  fork?: boolean | undefined;
  sessionId?: string | undefined;
  /** Arguments for the agent's command line. */
  rawArgs: string[];
  /** The arguments of the flags that only Claude Code has. */
  claudeArgs: string[];
  permissionMode?: PermissionMode | undefined;
  transport?: string | undefined;
  workspace?: WorkspaceRequest | undefined;
};

/** A compiled agent as a command. */
export function agentCommand({
  name,
  description,
  backend = 'claude-cli',
}: AgentDefinition): Omit<Command, 'run'> {
  return {
    name,
    program: name,
    summary: description ?? `The agent ${name}.`,
    usage: `${name} [options] ["prompt"]`,
    promptAfter: name,
    options: OPTIONS,
    notes: [
      `Backend: --backend, else FORGE_BACKEND, else ${backend}.`,
      "Prompt: the argument, else stdin, else the agent's own. Put one that starts with a dash after --.",
      "On a terminal, opens the agent's own interface, unless --print or --json is set.",
      'Exit codes: 0 done, 1 failed, 2 usage, 5 permission denied (no one to ask), 124 timeout,',
      '            130 interrupted.',
    ],
  };
}

/** The arguments with the names that the table has. */
export function withoutAliases(args: readonly string[]): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return args.map((arg, index) => {
    const [name = '', ...value] = arg.split('=');
    const known = index < end ? ALIASES[name] : undefined;
    return known ? [known, ...value].join('=') : arg;
  });
}

/** Reads the flags, and the files that some of them name. */
export function readFlags(parsed: Parsed): Flags {
  return {
    backend: textOf(parsed, 'backend'),
    print: isSet(parsed, 'print') || isStream(parsed),
    json: isSet(parsed, 'json') || isStream(parsed),
    verbose: isSet(parsed, 'verbose'),
    model: textOf(parsed, 'model'),
    maxTurns: turns(textOf(parsed, 'max-turns')),
    allowedTools: splitTools(textsOf(parsed, 'allowedTools')),
    disallowedTools: splitTools(textsOf(parsed, 'disallowedTools')),
    mcpConfig: mcpConfig(textsOf(parsed, 'mcp-config')),
    settings: settings(textOf(parsed, 'settings')),
    appendSystemPrompt: textOf(parsed, 'append-system-prompt'),
    resume: textOf(parsed, 'resume'),
    fork: isSet(parsed, 'fork-session') || undefined,
    sessionId: textOf(parsed, 'session-id'),
    rawArgs: textsOf(parsed, 'raw-arg'),
    claudeArgs: claudeArgs(parsed),
    permissionMode: permissionMode(parsed),
    transport: textOf(parsed, 'transport'),
    workspace: workspaceOptions(parsed),
  };
}

/** True for Claude Code's output format `stream-json`; the events are those of Baton, the same for all agents. */
function isStream(parsed: Parsed): boolean {
  const format = textOf(parsed, 'output-format');
  if (format === undefined || format === 'text') return false;
  if (format === 'stream-json') return true;
  throw new BatonError('usage', `Unsupported output format "${format}".`, {
    hint: 'Use text or stream-json. The last line of stream-json has the result.',
  });
}

function claudeArgs(parsed: Parsed): string[] {
  const fallback = textOf(parsed, 'fallback-model');
  return [
    ...(isSet(parsed, 'continue') ? ['--continue'] : []),
    ...textsOf(parsed, 'add-dir').flatMap((folder) => ['--add-dir', resolve(folder)]),
    ...(fallback === undefined ? [] : ['--fallback-model', fallback]),
  ];
}

function turns(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new BatonError('usage', `--max-turns must be a whole number above 0, not "${text}".`);
}

function permissionMode(parsed: Parsed): PermissionMode | undefined {
  const word = textOf(parsed, 'permission-mode');
  const mode = word === undefined ? undefined : MODES.get(word);
  if (word !== undefined && mode === undefined) {
    throw new BatonError('usage', `Unknown permission mode "${word}".`, {
      hint: `Use one of ${[...MODES.keys()].join(', ')}.`,
    });
  }
  if (!isSet(parsed, 'dangerously-skip-permissions')) return mode;
  if (mode === undefined || mode === 'allow-all') return 'allow-all';
  throw new BatonError(
    'usage',
    `--dangerously-skip-permissions contradicts --permission-mode ${word}.`,
    {
      hint: 'Keep one of them.',
    },
  );
}

/** Merges the servers of all files and texts; for duplicate names the last one wins, as in Claude Code. */
function mcpConfig(values: readonly string[]): McpConfig | undefined {
  if (values.length === 0) return undefined;
  const configs = values.map(
    (value) => objectIn(value, 'mcp-config') ?? readJsonFile(value, 'MCP configuration'),
  );
  const servers = configs.map((config) => {
    const { mcpServers } = config;
    if (typeof mcpServers === 'object' && mcpServers !== null) return mcpServers;
    throw new BatonError('usage', 'The MCP configuration has no "mcpServers".');
  });
  return { mcpServers: Object.assign({}, ...servers) };
}

function settings(value: string | undefined): Flags['settings'] {
  if (value === undefined) return undefined;
  return objectIn(value, 'settings') ?? resolve(value);
}

/** A JSON object that is given in the place of a file. */
function objectIn(value: string, flag: string): Record<string, unknown> | undefined {
  if (!value.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(value);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BatonError('usage', `--${flag} is neither a file nor JSON: ${why}`, { cause });
  }
}
