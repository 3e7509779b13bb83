import { join } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import type { OwnAgent, OwnDialect } from '@baton/config/settings/own-agents';
import type { Adapter, Credentials, Surroundings } from '@baton/engine/definition/backend-entry';
import type { Dialect, DialectEntry, DialectOut } from '@baton/engine/definition/dialect';
import {
  DEFAULT_STOP,
  type Driver,
  type Launch,
  type LaunchInput,
} from '@baton/engine/definition/driver';
import { searchCredentials } from '@baton/engine/kit/credentials';
import { fitsArgument } from '@baton/engine/kit/prompt-argument';
import { PROVIDER_WORDS } from '@baton/engine/kit/provider-errors';
import { plainText } from '@baton/engine/normalize/plain-text';
import { BatonError } from '@baton/protocol/values';
import { acpAdapter } from '../../dialects/acp/adapter.ts';
import { eventReader, isEventLine } from '../../dialects/baton-json/reader.ts';
import { isPrintedLine } from '../../dialects/claude-stream-json/printed-output.ts';
import { StreamJsonReader } from '../../dialects/claude-stream-json/reader.ts';
import { LABEL as CODEX } from '../../dialects/codex-jsonl/errors.ts';
import { execDialect, isExecLine } from '../../dialects/codex-jsonl/exec.ts';
import {
  LABEL as GEMINI,
  GeminiPrinted,
  geminiFormats,
} from '../../dialects/gemini-stream-json/reader.ts';
import { LABEL as OPENCODE } from '../../dialects/opencode-json/errors.ts';
import { OpenCodeJson, openCodeFormats } from '../../dialects/opencode-json/reader.ts';

/** Creates the adapter for an agent that the user described in the configuration. */
export function ownAdapter(agent: OwnAgent): Adapter {
  const { dialect, label } = agent;
  const credentials = credentialsOf(agent);
  if (dialect === 'acp') {
    const args = agent.command.slice(1).map(withHome);
    return { ...acpAdapter({ label, args }), ...credentials };
  }
  const { recognises, read } = PRINTED[dialect];
  const create = (out: DialectOut) => read(out, agent);
  return {
    drivers: [printDriver(agent, create)],
    dialects: [
      { transport: 'print', recognises, create },
      { transport: 'plain', recognises: () => false, create: (out) => plainText(out, label) },
    ],
    ...credentials,
  };
}

type Printed = {
  recognises: DialectEntry['recognises'];
  read(out: DialectOut, agent: OwnAgent): Dialect;
};

const PRINTED: Readonly<Record<Exclude<OwnDialect, 'acp'>, Printed>> = {
  'claude-stream-json': {
    recognises: isPrintedLine,
    read: (out, { label }) =>
      new StreamJsonReader(out, { agent: { label, words: PROVIDER_WORDS } }),
  },
  'codex-jsonl': {
    recognises: isExecLine,
    read: (out, { label }) => renamed(execDialect(out), CODEX, label),
  },
  'gemini-stream-json': {
    recognises: (line) => geminiFormats.some((each) => each.recognises(line)),
    read: (out, { label }) => renamed(new GeminiPrinted(out), GEMINI, label),
  },
  'opencode-json': {
    recognises: (line) => openCodeFormats.some((each) => each.recognises(line)),
    read: (out, { label }) => renamed(new OpenCodeJson(out), OPENCODE, label),
  },
  'baton-json': {
    recognises: isEventLine,
    read: (out, { label }) => eventReader(out, label),
  },
  plain: { recognises: () => false, read: (out, { label }) => plainText(out, label) },
};

/** The dialect of another agent, whose errors would name that one. */
function renamed(dialect: Dialect, from: string, to: string): Dialect {
  return {
    line: (line) => dialect.line(line),
    ...(dialect.stderrLine ? { stderrLine: (line) => dialect.stderrLine?.(line) ?? false } : {}),
    end: (end) => {
      const verdict = dialect.end(end);
      if (!verdict?.error) return verdict;
      const message = verdict.error.message.replaceAll(from, to);
      return { ...verdict, error: { ...verdict.error, message } };
    },
  };
}

/** One process for each prompt. */
function printDriver(agent: OwnAgent, dialect: (out: DialectOut) => Dialect): Driver {
  return {
    transport: 'print',
    keepsProcess: false,
    // Some agents do not exit when they are done.
    graceMs: 10_000,
    stop: { ...DEFAULT_STOP, signal: 'SIGTERM', signalMs: 1000 },
    launch: (input) => launchOf(agent, input),
    dialect,
  };
}

/** The command line for one prompt: what has no placeholder goes to the end, the prompt last. */
export function launchOf(
  { command, model, resume, prompt: place, label }: OwnAgent,
  { options, prompt, resume: session }: Pick<LaunchInput, 'options' | 'prompt' | 'resume'>,
): Launch {
  const parts: Readonly<Record<string, string[]>> = {
    '{model}': options.model === undefined ? [] : filled(model, '{model}', options.model),
    '{resume}': session === undefined ? [] : filled(resume, '{session}', session),
  };
  const missing = Object.keys(parts).filter((mark) => !command.includes(mark));
  const text = place === 'stdin' ? prompt.text : argumentOf(prompt.text, label);
  const args = [...command.slice(1), ...missing]
    .flatMap((word) => parts[word] ?? [withHome(word)])
    .concat(options.rawArgs ?? []);
  if (place === 'stdin') return { args, stdin: { text } };
  if (place === 'argument') return { args: [...args, text], stdin: 'none' };
  return { args: args.map((word) => word.replaceAll('{prompt}', () => text)), stdin: 'none' };
}

function filled(words: readonly string[] = [], mark: string, value: string): string[] {
  return words.map((word) => word.replaceAll(mark, () => value));
}

/** A prompt that begins with a dash would be taken for a flag, so it begins with a line break. */
function argumentOf(text: string, label: string): string {
  if (!fitsArgument(text)) {
    throw new BatonError('usage', `The prompt is too long for the command line of ${label}.`, {
      hint: 'Shorten it, or set "prompt": "stdin" if the agent reads its standard input.',
    });
  }
  return text.startsWith('-') ? `\n${text}` : text;
}

function withHome(word: string): string {
  return word.startsWith('~/') ? join(homeFolder(), word.slice(2)) : word;
}

/** The agent may also have a login of which Baton knows nothing. */
function credentialsOf({ keyVariables }: OwnAgent): Pick<Adapter, 'credentials'> {
  if (keyVariables.length === 0) return {};
  const places = keyVariables.map((variable) => ({ variable }));
  const credentials = ({ env }: Surroundings): Credentials => {
    const found = searchCredentials(places, env);
    return found.credentials === 'found' ? found : { credentials: 'unknown' };
  };
  return { credentials };
}
