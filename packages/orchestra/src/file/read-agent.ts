import { resolve } from 'node:path';
import { programWords } from '@baton/config/values/command-words';
import type { AgentOptions } from '../chain.ts';
import type { AgentSource } from './chains-schema.ts';
import type { TemplateSource } from './check-references.ts';
import {
  type Reading,
  readDuration,
  readFileOr,
  readOutputSchema,
  readSystemPrompt,
  readText,
} from './read-values.ts';
import type { Path } from './source.ts';

/** An agent of the file, with the files that it names. */
export type Agent = {
  source: AgentSource;
  path: Path;
  prompt?: TemplateSource | undefined;
  options: AgentOptions;
  /** SHA-256 of the files that the agent itself reads, by path. */
  files?: Record<string, string> | undefined;
  command?: string[] | undefined;
};

const PROMPTS = {
  texts: ['prompt', 'defaultPrompt'],
  files: ['promptFile', 'defaultPromptFile'],
};

/** Reads an agent of the file. */
export function readAgent(source: AgentSource, path: Path, reading: Reading): Agent {
  const { rawArgs, command, settings, mcpConfig } = source;
  const named = [settings, mcpConfig].filter((value) => typeof value === 'string');
  const hashes = () =>
    named.map((file) => [reading.files.resolve(file), reading.files.hashOf(file)]);
  const agent: Agent = {
    source,
    path,
    prompt: readText(source, path, PROMPTS, reading),
    // The arguments of a compiled agent are part of its command.
    ...(command && { command: [...readCommand(command, reading), ...(rawArgs ?? [])] }),
    options: withoutUndefined({
      systemPrompt: readSystemPrompt(source, path, reading),
      model: source.model,
      maxTurns: source.maxTurns,
      tools: readTools(source, path, reading),
      settings: readFileOr(source.settings, [...path, 'settings'], reading),
      mcpConfig: readFileOr(source.mcpConfig, [...path, 'mcpConfig'], reading),
      mode: source.mode,
      providerOptions: source.providerOptions,
      rawArgs: command ? undefined : rawArgs,
      outputSchema: readOutputSchema(source.outputSchema, [...path, 'outputSchema'], reading),
      timeouts: timeoutsOf(readDuration(source.timeoutMs), readDuration(source.idleTimeoutMs)),
      budgetUsd: source.budgetUsd,
    }),
  };
  // After the options, which have read the files.
  return named.length > 0 ? { ...agent, files: Object.fromEntries(hashes()) } : agent;
}

export function timeoutsOf(
  totalMs: number | undefined,
  idleMs: number | undefined,
): AgentOptions['timeouts'] {
  const timeouts = withoutUndefined({ totalMs, idleMs });
  return Object.keys(timeouts).length > 0 ? timeouts : undefined;
}

export function withoutUndefined<Value extends object>(value: Value): Value {
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries) as Value;
}

function readTools(
  { tools, allowedTools, disallowedTools }: AgentSource,
  path: Path,
  { problems }: Reading,
): AgentOptions['tools'] {
  for (const [name, short, long] of [
    ['allowed', allowedTools, tools?.allowed],
    ['disallowed', disallowedTools, tools?.disallowed],
  ] as const) {
    if (!short || !long) continue;
    const both = `"${name}Tools" and "tools.${name}"`;
    problems.add([...path, `${name}Tools`], `${both} are the same; keep one.`, 'key');
  }
  const all = withoutUndefined({
    allowed: tools?.allowed ?? allowedTools,
    disallowed: tools?.disallowed ?? disallowedTools,
  });
  return Object.keys(all).length > 0 ? all : undefined;
}

/** A program with a path is relative to the chains file; others are found in PATH. */
function readCommand(command: string | string[], { files }: Reading): string[] {
  const [program = '', ...args] = typeof command === 'string' ? programWords(command) : command;
  return [/^\.\.?\//.test(program) ? resolve(files.resolve(program)) : program, ...args];
}
