import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Baton } from '@baton/agents/registry/baton';
import { SETTINGS, type SettingName } from '@baton/config/settings';
import { parseError } from './parse-error.ts';

export type Option = {
  type: 'string' | 'boolean';
  /** The placeholder of the value in the help text. */
  value?: string;
  /** True if the flag alone is enough: its value is then empty, and another one is written after an equals sign. */
  isValueOptional?: boolean;
  short?: string;
  multiple?: boolean;
  about: string;
  /** The setting that this flag sets. */
  setting?: SettingName;
  /** Words that complete the value in a shell. */
  choices?: 'backends' | 'files' | readonly string[];
};

export type OptionTable = Readonly<Record<string, Option>>;

export type Parsed = {
  values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  positionals: string[];
};

/** One command of `baton`. */
export type Command = {
  name: string;
  /** Invocation, if not `baton NAME`. */
  program?: string;
  summary: string;
  usage: string;
  options: OptionTable;
  /** Words that it takes, for completion in a shell. */
  words?: readonly string[];
  /** Start of the usage that takes a prompt: any argument that is not an option is then part of the prompt. */
  promptAfter?: string;
  /** True if it takes options only. */
  optionsOnly?: boolean;
  /** True if it runs agents for other users, who must not be able to read its secrets. */
  startsAgents?: boolean;
  /** Further lines for the help text. */
  notes?: readonly string[];
  /** Runs the command, with the backends of the user. */
  run(parsed: Parsed, baton: Baton): Promise<number>;
};

/** One command in the table of all: its code is loaded only when it is called. */
export type CommandEntry = { summary: string; load(): Promise<Command> };

const COMMON: OptionTable = {
  help: { type: 'boolean', short: 'h', about: 'show this help' },
};

/** Parses the arguments of a command; throws a usage error that names the problem. */
export function parseCommand(command: Omit<Command, 'run'>, args: string[]): Parsed {
  const options = allOptions(command);
  const config: ParseArgsConfig['options'] = {};
  for (const [name, { type, short, multiple }] of Object.entries(options)) {
    config[name] = { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) };
  }
  try {
    const allowPositionals = !command.optionsOnly;
    const given = withEmptyValues(args, options);
    return parseArgs({ args: given, options: config, allowPositionals, strict: true });
  } catch (cause) {
    throw parseError(command, args, cause);
  }
}

/** Gives flags whose value is optional an empty one. */
function withEmptyValues(args: string[], options: OptionTable): string[] {
  const end = args.indexOf('--');
  return args.map((arg, index) => {
    const isFlag = arg.startsWith('--') && (end === -1 || index < end);
    return isFlag && options[arg.slice(2)]?.isValueOptional ? `${arg}=` : arg;
  });
}

/** The options of a command with those that every command has. */
export function allOptions(command: Pick<Command, 'options'>): OptionTable {
  return { ...command.options, ...COMMON };
}

/** The flags of a command that set settings, as the settings loader takes them. */
export function settingFlags(
  command: Command,
  { values }: Parsed,
): Partial<Record<SettingName, unknown>> {
  const flags: Partial<Record<SettingName, unknown>> = {};
  for (const [name, option] of Object.entries(command.options)) {
    if (option.setting && values[name] !== undefined) flags[option.setting] = values[name];
  }
  return flags;
}

/** An option that sets a setting, described as the table of settings describes it. */
export function settingOption(setting: SettingName, more: Partial<Option> = {}): Option {
  return { type: 'string', about: SETTINGS[setting].about, setting, ...more };
}

/** The help text of a command. */
export function helpText(command: Omit<Command, 'run'>): string {
  const rows = Object.entries(allOptions(command)).map(([name, option]) => {
    const flag = `${option.short ? `-${option.short}, ` : '    '}--${name}${valueText(option)}`;
    return [flag, `${option.about}${option.multiple ? ' (repeatable)' : ''}`] as const;
  });
  const width = Math.max(...rows.map(([flag]) => flag.length));
  const lines = rows.map(([flag, about]) => `  ${flag.padEnd(width)}  ${about}`);
  const notes = command.notes ? ['', ...command.notes] : [];
  return [
    `${command.summary}`,
    '',
    `Usage: ${command.usage}`,
    '',
    'Options:',
    ...lines,
    ...notes,
    '',
  ].join('\n');
}

/** The value of an option in its help. An optional one must follow an equals sign, or it would be an argument. */
function valueText({ value, isValueOptional = false }: Option): string {
  if (value === undefined) return '';
  return isValueOptional ? `[=${value}]` : ` ${value}`;
}

/** The text value of an option. */
export function textOf(parsed: Parsed, name: string): string | undefined {
  const value = parsed.values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The text values of an option that may be repeated. */
export function textsOf(parsed: Parsed, name: string): string[] {
  const value = parsed.values[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** True if a flag without a value was given. */
export function isSet(parsed: Parsed, name: string): boolean {
  return parsed.values[name] === true;
}
