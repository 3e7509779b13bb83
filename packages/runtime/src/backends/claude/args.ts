import type { PermissionMode, RunOptions } from '@baton/protocol';
import { providerArgs } from './provider-options.ts';

/** What becomes arguments. Texts that are long or private have been put into files by now. */
export type ArgsInput = Pick<
  RunOptions,
  | 'model'
  | 'maxTurns'
  | 'tools'
  | 'resume'
  | 'fork'
  | 'sessionId'
  | 'outputSchema'
  | 'budgetUsd'
  | 'providerOptions'
  | 'rawArgs'
> & {
  permissionMode: PermissionMode;
  systemPromptFile?: string | undefined;
  settingsFile?: string | undefined;
  mcpConfigFile?: string | undefined;
  /** The working directory, when nobody trusted it: its settings are not loaded then. */
  untrustedFolder?: string | undefined;
};

export type OutputFormat = 'json' | 'stream-json' | 'text';

/** The one-shot command line of the runner. */
export function runnerArgs(input: {
  prompt: string;
  model?: string | undefined;
  allowedTools?: readonly string[] | undefined;
}): string[] {
  const tools = input.allowedTools?.join(',');
  return [
    ...['-p', input.prompt, '--output-format', 'json'],
    ...flag('--model', input.model),
    ...flag('--allowedTools', tools),
  ];
}

/** The one-shot command line of the gateway; without a prompt it is read from standard input. */
export function gatewayArgs(input: {
  prompt?: string | undefined;
  systemPromptFile: string;
  sessionId?: string | undefined;
  allowedTools: readonly string[];
  maxTurns: number;
  model?: string | undefined;
  streaming?: boolean | undefined;
}): string[] {
  return [
    ...promptArgs('-p', input.prompt),
    ...formatArgs(input.streaming ? 'stream-json' : 'json'),
    '--dangerously-skip-permissions',
    ...each('--allowedTools', input.allowedTools),
    ...flag('--append-system-prompt-file', input.systemPromptFile),
    ...flag('--resume', input.sessionId),
    ...flag('--model', input.model),
    ...flag('--max-turns', input.maxTurns),
  ];
}

/** The one-shot command line of the agent runtime, which prints nothing but the answer. */
export function agentRuntimeArgs(input: {
  prompt?: string | undefined;
  systemPrompt?: string | undefined;
  model?: string | undefined;
  maxTurns?: number | undefined;
  tools?: RunOptions['tools'];
  settingsFile?: string | undefined;
  mcpConfigFile?: string | undefined;
  rawArgs?: readonly string[] | undefined;
}): string[] {
  return [
    ...promptArgs('--print', input.prompt),
    ...toolArgs(input.tools),
    ...flag('--mcp-config', input.mcpConfigFile),
    ...flag('--append-system-prompt', input.systemPrompt),
    ...flag('--model', input.model),
    ...flag('--max-turns', input.maxTurns),
    ...flag('--settings', input.settingsFile),
    ...(input.rawArgs ?? []),
  ];
}

/** The command line of a conversation over standard input and output. */
export function liveArgs(input: ArgsInput): string[] {
  return [
    ...['-p', '--input-format', 'stream-json', ...formatArgs('stream-json')],
    // Echoes tell which message a turn answers: an agent with background tasks begins turns of its own.
    '--replay-user-messages',
    ...['--permission-prompt-tool', 'stdio'],
    ...commonArgs(input),
    ...permissionArgs(input, 'default'),
    ...printOnlyArgs(input),
    ...(input.rawArgs ?? []),
  ];
}

/** The one-shot command line of the print transport; without a prompt it is read from standard input. */
export function printArgs(
  input: ArgsInput & { prompt?: string | undefined; format: OutputFormat },
): string[] {
  return [
    ...promptArgs('-p', input.prompt),
    ...formatArgs(input.format),
    ...commonArgs(input),
    ...permissionArgs(input, input.permissionMode === 'auto' ? 'acceptEdits' : 'default'),
    ...printOnlyArgs(input),
    ...(input.rawArgs ?? []),
  ];
}

/** The command line of Claude's own terminal interface. */
export function terminalArgs(input: ArgsInput & { prompt?: string | undefined }): string[] {
  return [
    ...commonArgs(input),
    ...permissionArgs(input, input.permissionMode === 'auto' ? 'acceptEdits' : 'default'),
    ...(input.rawArgs ?? []),
    ...(input.prompt === undefined ? [] : ['--', input.prompt]),
  ];
}

// Flags that take a list come first: they swallow every word up to the next flag.
function commonArgs(input: ArgsInput): string[] {
  return [
    ...toolArgs(input.tools),
    ...flag('--mcp-config', input.mcpConfigFile),
    ...untrustedArgs(input.untrustedFolder),
    ...providerArgs(input.providerOptions),
    ...flag('--append-system-prompt-file', input.systemPromptFile),
    ...flag('--settings', input.settingsFile),
    ...sessionArgs(input),
    ...flag('--model', input.model),
    ...flag('--max-turns', input.maxTurns),
  ];
}

/**
 * Only the user's settings: none of the folder's hooks, MCP servers, plugins, skills and rules. Without its settings
 * Claude would not read CLAUDE.md either; a further folder's is read when the environment says so.
 */
function untrustedArgs(folder: string | undefined): string[] {
  return folder === undefined ? [] : ['--setting-sources', 'user', '--add-dir', folder];
}

// A session that goes on keeps its id; only a new one, which a fork is too, can be given one.
function sessionArgs({ resume, fork, sessionId }: ArgsInput): string[] {
  if (!resume) return flag('--session-id', sessionId);
  if (!fork) return ['--resume', resume];
  return ['--resume', resume, '--fork-session', ...flag('--session-id', sessionId)];
}

function permissionArgs({ permissionMode, providerOptions }: ArgsInput, usual: string): string[] {
  if (permissionMode === 'allow-all') return ['--dangerously-skip-permissions'];
  return ['--permission-mode', providerOptions?.plan === true ? 'plan' : usual];
}

function printOnlyArgs({ outputSchema, budgetUsd }: ArgsInput): string[] {
  return [
    ...flag('--json-schema', outputSchema && JSON.stringify(outputSchema)),
    ...flag('--max-budget-usd', budgetUsd),
  ];
}

function promptArgs(print: '-p' | '--print', prompt: string | undefined): string[] {
  return prompt === undefined ? [print] : [print, prompt];
}

function formatArgs(format: OutputFormat): string[] {
  if (format !== 'stream-json') return ['--output-format', format];
  return ['--output-format', format, '--verbose', '--include-partial-messages'];
}

function toolArgs(tools: RunOptions['tools']): string[] {
  return [
    ...each('--allowedTools', tools?.allowed),
    ...each('--disallowedTools', tools?.disallowed),
  ];
}

function each(name: string, values: readonly string[] = []): string[] {
  return values.flatMap((value) => [name, value]);
}

function flag(name: string, value: string | number | undefined): string[] {
  return value === undefined || value === '' ? [] : [name, String(value)];
}
