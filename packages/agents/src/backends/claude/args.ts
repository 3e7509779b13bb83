import { each, flag } from '@baton/engine/kit/prompt-argument';
import type { PermissionMode, RunOptions } from '@baton/protocol/values';
import { providerArgs } from './provider-options.ts';

/** Options that become arguments. Long or private texts are already in files. */
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
  /** The working directory if it is untrusted: its settings are not loaded. */
  untrustedFolder?: string | undefined;
};

export type OutputFormat = 'json' | 'stream-json' | 'text';

/** The one-shot command line that prints nothing but the answer; without a prompt it is read from standard input. */
export function plainArgs(input: {
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
    // Echoes show which message a turn answers: an agent with background tasks starts turns itself.
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

// A resumed session keeps its id; only a new one, including a fork, can be given one.
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

/** The flag of print mode, with the prompt unless that is read from standard input. */
export function promptArgs(print: '-p' | '--print', prompt: string | undefined): string[] {
  return prompt === undefined ? [print] : [print, prompt];
}

/** The flags of an output format. */
export function formatArgs(format: OutputFormat): string[] {
  if (format !== 'stream-json') return ['--output-format', format];
  return ['--output-format', format, '--verbose', '--include-partial-messages'];
}

function toolArgs(tools: RunOptions['tools']): string[] {
  return [
    ...each('--allowedTools', tools?.allowed),
    ...each('--disallowedTools', tools?.disallowed),
  ];
}
