import { similarNames } from '@baton/config/values/similar-names';
import { BatonError } from '@baton/protocol/values';
import { oneLine } from '../view/style.ts';
import type { OptionTable } from './command.ts';

/** Maximum number of characters of a prompt that an error repeats. */
const SHOWN = 40;

const AMBIGUOUS = /^Option '(\S+)' argument is ambiguous[\s\S]*'(--[^=']+)=-XYZ'/;
const MISSING = /^Option '(?:-\S, )?--(\S+) <value>' argument missing/;
const UNKNOWN = /^Unknown option '(-[^']*)'/;

type Mistaken = { name: string; program?: string; promptAfter?: string; options: OptionTable };

/** Explains a parse error better than the message of the parser does. */
export function parseError(command: Mistaken, args: readonly string[], cause: unknown): BatonError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const [message, hint] = missingValue(command, why) ??
    valueMistake(command, args, why) ??
    optionMistake(command, args, why) ?? [`${why.split(/\.\s/)[0]}.`];
  const help = `See "${command.program ?? `baton ${command.name}`} --help".`;
  return new BatonError('usage', message, { hint: hint ? `${hint} ${help}` : help, cause });
}

/** Handles an option without its value at the end of the line. */
function missingValue({ options }: Mistaken, why: string): [string, string] | undefined {
  const [, name = ''] = MISSING.exec(why) ?? [];
  return name === '' ? undefined : [`--${name} needs a value.`, described(options, name)];
}

/** An option as the help describes it. */
function described(options: OptionTable, name: string): string {
  const { value = 'VALUE', about } = options[name] ?? {};
  return `--${name} ${value}: ${about}.`;
}

/** An option is in the place of another option's value; a negative number looks like an option too. */
function valueMistake(
  { options }: Mistaken,
  args: readonly string[],
  why: string,
): [string, string] | undefined {
  const [, option = '', long = ''] = AMBIGUOUS.exec(why) ?? [];
  const value = args[args.findIndex((arg) => endsWithOption(arg, option)) + 1];
  if (option === '' || value === undefined) return undefined;
  return [
    `${option} needs a value, and "${value}" looks like an option.`,
    `${described(options, long.slice(2))} If it is the value, write ${long}=${value}.`,
  ];
}

function endsWithOption(arg: string, option: string): boolean {
  return arg === option || (/^-[^-]/.test(arg) && arg.at(-1) === option[1]);
}

/** An option is mistyped, or a prompt that starts with a dash is parsed as options, letter by letter. */
function optionMistake(
  { promptAfter, options }: Mistaken,
  args: readonly string[],
  why: string,
): [string, string] | undefined {
  const [, option = ''] = UNKNOWN.exec(why) ?? [];
  const isLong = option.startsWith('--');
  const guesses = isLong ? similarNames(option.slice(2), Object.keys(options)) : [];
  const isPrompt = isPromptMeant(promptAfter, args);
  if (option === '' || (guesses.length === 0 && !isPrompt)) return undefined;
  const found = isLong ? undefined : args.find((arg) => isGroup(arg, option));
  const group = found && oneLine(found, SHOWN);
  const hints = [
    ...(guesses.length > 0 ? [`Did you mean --${guesses.join(' or --')}?`] : []),
    ...(isPrompt
      ? [`If this is a prompt, put it after "--": ${promptAfter} -- "${group ?? option}".`]
      : []),
  ];
  return [
    group ? `Unknown option '${option}' in '${group}'.` : `Unknown option '${option}'.`,
    hints.join(' '),
  ];
}

/** True if the command takes a prompt here; only some subcommands do. */
function isPromptMeant(promptAfter: string | undefined, args: readonly string[]): boolean {
  const word = promptAfter?.split(' ')[2];
  return promptAfter !== undefined && (word === undefined || args.includes(word));
}

function isGroup(arg: string, option: string): boolean {
  return /^-[^-]./.test(arg) && arg.includes(option.slice(1));
}
