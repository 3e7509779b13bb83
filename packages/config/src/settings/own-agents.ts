import { BatonError, FEATURES, type Feature } from '@baton/protocol/values';
import { programWords } from '../values/command-words.ts';
import { isObject, type Json, parseJson } from '../values/json.ts';
import { similarNames } from '../values/similar-names.ts';
import type { ValueReader } from './value-readers.ts';

/** Output formats of agents, each with the capabilities that a user can claim for an agent that prints it. */
export const OWN_DIALECTS = {
  'claude-stream-json': ['streaming', 'thinking', 'usage', 'cost', 'plan', 'subagents', 'diffs'],
  'codex-jsonl': ['thinking', 'usage', 'plan', 'subagents', 'diffs'],
  'gemini-stream-json': ['streaming', 'usage'],
  'opencode-json': ['thinking', 'usage', 'cost', 'plan', 'diffs'],
  acp: [
    'streaming',
    'thinking',
    'permissions',
    'questions',
    'resume',
    'fork',
    'mcp',
    'images',
    'usage',
    'plan',
    'subagents',
    'diffs',
  ],
  'baton-json': ['streaming', 'thinking', 'usage', 'cost', 'plan', 'subagents', 'diffs'],
  plain: ['streaming'],
} as const satisfies Readonly<Record<string, readonly Feature[]>>;

export type OwnDialect = keyof typeof OWN_DIALECTS;
const DIALECT_NAMES = Object.keys(OWN_DIALECTS) as OwnDialect[];

const PROMPTS = ['stdin', 'argument'] as const;

/** An agent that its user described in the configuration. */
export type OwnAgent = {
  name: string;
  label: string;
  /** The program and its arguments, with placeholders. */
  command: readonly string[];
  dialect: OwnDialect;
  /** `placeholder` if the command has `{prompt}`. */
  prompt: (typeof PROMPTS)[number] | 'placeholder';
  /** The arguments that name the session to continue; `{session}` is its id. */
  resume?: readonly string[] | undefined;
  /** The arguments that name the model; `{model}` is its name. */
  model?: readonly string[] | undefined;
  /** Capabilities that the user claims; undefined if they claim none. */
  capabilities?: readonly Feature[] | undefined;
  /** Undefined if the user does not say: then it may read the settings of any agent. */
  settingsPaths?: readonly string[] | undefined;
  keyVariables: readonly string[];
  install?: string | undefined;
};

const WORDS = {
  anyOf: [
    { type: 'string', pattern: '\\S' },
    { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
  ],
};
const TEXT = { type: 'string', minLength: 1 };
const TEXTS = { type: 'array', items: TEXT };
/** The names that a backend may have. */
const NAME = '^[a-z0-9][a-z0-9._-]*$';

/** The keys of an agent, as a JSON Schema for editors. */
const KEYS: Readonly<Record<string, Json>> = {
  command: {
    description:
      'The command that starts the agent, as one line or a list of words. {prompt}, {model} and {resume} mark where these arguments go',
    ...WORDS,
  },
  dialect: { description: 'What the agent prints', enum: DIALECT_NAMES },
  prompt: {
    description:
      'Where the prompt goes: stdin (the default) or argument (the last one). Omit it if the command has {prompt}',
    enum: PROMPTS,
  },
  resume: {
    description: 'Arguments that continue a session; {session} is its id',
    ...WORDS,
  },
  model: { description: 'Arguments that choose the model; {model} is its name', ...WORDS },
  label: { description: 'The name that people see', ...TEXT },
  capabilities: {
    description: 'What the agent can do; a dialect limits what can be listed',
    type: 'array',
    items: { enum: [...new Set(Object.values(OWN_DIALECTS).flat())] },
  },
  settingsPaths: {
    description: 'Where a folder has settings for the agent: they are protected',
    ...TEXTS,
  },
  keyVariables: { description: 'Variables that hold its keys: no other agent gets them', ...TEXTS },
  install: { description: 'How to install it, for those who do not have it', ...TEXT },
};

/** Takes anything: the agents are read one by one, and a wrong one must affect nothing else. */
export const ownAgents: ValueReader<unknown> = {
  read: (raw) => (typeof raw === 'string' ? (parseJson(raw) ?? raw) : raw),
  expected: 'an object',
  schema: {
    type: 'object',
    propertyNames: { pattern: NAME },
    additionalProperties: {
      type: 'object',
      properties: KEYS,
      required: ['command', 'dialect'],
      additionalProperties: false,
    },
  },
};

/** The agents of the setting, still to be read, by name; throws if the setting is no object. */
export function ownAgentValues(value: unknown, origin: string): [string, unknown][] {
  if (value === undefined) return [];
  if (isObject(value)) return Object.entries(value);
  throw new BatonError('config_invalid', `agents (${origin}): must be an object.`, {
    hint: 'Write { "NAME": { "command": "my-agent --json", "dialect": "plain" } }.',
  });
}

/** Reads one agent; throws with the key that is wrong and what to write instead. */
export function readOwnAgent(name: string, value: unknown, origin: string): OwnAgent {
  const wrong = (key: string, problem: string, instead: string) => {
    const place = ['agents', name, ...(key ? [key] : [])].join('.');
    return new BatonError('config_invalid', `${place} (${origin}): ${problem}`, { hint: instead });
  };
  if (!new RegExp(NAME).test(name)) {
    throw wrong(
      '',
      'not a valid name.',
      'Use lowercase letters, digits, dots, hyphens and underscores.',
    );
  }
  if (!isObject(value)) {
    throw wrong('', 'must be an object.', 'Write { "command": "…", "dialect": "…" }.');
  }
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(KEYS, key));
  if (unknown !== undefined) {
    const guesses = similarNames(unknown, Object.keys(KEYS));
    const instead = guesses.length > 0 ? guesses : Object.keys(KEYS);
    throw wrong(unknown, 'unknown key.', `Write one of ${instead.join(', ')}.`);
  }
  const words = (key: string): string[] | undefined => {
    const given = value[key];
    if (given === undefined) return undefined;
    const list = typeof given === 'string' ? programWords(given) : given;
    if (isTexts(list) && list.length > 0) return list;
    throw wrong(key, 'must be a command line or a list of words.', `Write ${EXAMPLES[key]}.`);
  };
  const text = (key: string): string | undefined => {
    const given = value[key];
    if (given === undefined || (typeof given === 'string' && given !== '')) return given;
    throw wrong(key, 'must be a string.', `Write a string, or omit ${key}.`);
  };
  const texts = (key: string): string[] => {
    const given = value[key] ?? [];
    if (isTexts(given)) return given;
    throw wrong(key, 'must be a list of strings.', `Write ["…"], or omit ${key}.`);
  };
  const one = <Value extends string>(key: string, values: readonly Value[]): Value | undefined => {
    const given = value[key];
    const found = values.find((each) => each === given);
    if (given === undefined || found !== undefined) return found;
    const instead = values.map((each) => `"${each}"`).join(', ');
    throw wrong(key, `${JSON.stringify(given)} is not supported.`, `Write one of ${instead}.`);
  };

  const command = words('command');
  if (!command) throw wrong('command', 'missing.', `Write ${EXAMPLES.command}.`);
  const [program = ''] = command;
  if (program.includes('/') && !/^(?:\/|~\/)/.test(program)) {
    throw wrong(
      'command',
      `${program} is relative to no folder in particular.`,
      'Write a path that begins with / or ~/, or the name of a program on PATH.',
    );
  }
  const dialect = one('dialect', DIALECT_NAMES);
  if (!dialect) {
    throw wrong('dialect', 'missing.', `Write one of ${DIALECT_NAMES.join(', ')}.`);
  }
  const resume = words('resume');
  if (resume && !has(resume, '{session}')) {
    throw wrong('resume', 'does not say which session.', `Write ${EXAMPLES.resume}.`);
  }
  if (resume && (dialect === 'plain' || dialect === 'acp')) {
    const why =
      dialect === 'acp' ? 'the protocol resumes sessions itself' : 'plain text has no session id';
    throw wrong('resume', `not with the dialect ${dialect}: ${why}.`, 'Omit resume.');
  }
  const model = words('model');
  if (model && !has(model, '{model}')) {
    throw wrong('model', 'does not say which model.', `Write ${EXAMPLES.model}.`);
  }
  if (model && dialect === 'acp') {
    throw wrong('model', 'not with the dialect acp: the protocol sets the model.', 'Omit model.');
  }
  const isMarked = has(command, '{prompt}');
  const place = PROMPTS.find((each) => each === value.prompt);
  if (value.prompt !== undefined && place === undefined) {
    throw wrong(
      'prompt',
      `${JSON.stringify(value.prompt)} is not supported.`,
      'Write "stdin" or "argument", or omit prompt and put {prompt} into the command.',
    );
  }
  if (isMarked && place !== undefined) {
    throw wrong('prompt', 'the command has {prompt}.', 'Omit prompt.');
  }
  const prompt = isMarked ? 'placeholder' : (place ?? 'stdin');
  if (dialect === 'acp' && (isMarked || value.prompt !== undefined)) {
    throw wrong(
      'prompt',
      'not with the dialect acp: the protocol sends the prompt.',
      'Omit prompt.',
    );
  }
  const capabilities = value.capabilities === undefined ? undefined : texts('capabilities');
  const possible: readonly string[] = OWN_DIALECTS[dialect];
  const impossible = capabilities?.find((each) => !possible.includes(each));
  if (impossible !== undefined) {
    const isFeature = (FEATURES as readonly string[]).includes(impossible);
    const why = isFeature
      ? `the dialect ${dialect} does not carry it`
      : 'there is no such capability';
    throw wrong('capabilities', `"${impossible}": ${why}.`, `Write any of ${possible.join(', ')}.`);
  }
  return {
    name,
    label: text('label') ?? name,
    command,
    dialect,
    prompt,
    resume,
    model,
    capabilities: capabilities as Feature[] | undefined,
    settingsPaths: value.settingsPaths === undefined ? undefined : texts('settingsPaths'),
    keyVariables: texts('keyVariables'),
    install: text('install'),
  };
}

const EXAMPLES: Readonly<Record<string, string>> = {
  command: '"my-agent --json"',
  resume: '"--resume {session}"',
  model: '"--model {model}"',
};

function has(words: readonly string[], placeholder: string): boolean {
  return words.some((word) => word.includes(placeholder));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
}
