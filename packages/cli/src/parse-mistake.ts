import { BatonError } from '@baton/protocol';
import type { OptionTable } from './command.ts';
import { oneLine } from './view/style.ts';

/** So much of a prompt is told again. */
const SHOWN = 40;

const AMBIGUOUS = /^Option '(\S+)' argument is ambiguous[\s\S]*'(--[^=']+)=-XYZ'/;
const MISSING = /^Option '(?:-\S, )?--(\S+) <value>' argument missing/;
const UNKNOWN = /^Unknown option '(-[^']*)'/;

type Mistaken = { name: string; promptAfter?: string; options: OptionTable };

/** Says what is wrong with the arguments of a command, in words that help more than the parser's own. */
export function parseMistake(
  command: Mistaken,
  args: readonly string[],
  cause: unknown,
): BatonError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const [message, hint] = missingValue(command, why) ??
    valueMistake(command, args, why) ??
    optionMistake(command, args, why) ?? [`${why.split(/\.\s/)[0]}.`];
  const help = `See "baton ${command.name} --help".`;
  return new BatonError('usage', message, { hint: hint ? `${hint} ${help}` : help, cause });
}

/** Nothing stands behind an option that needs a value. */
function missingValue({ options }: Mistaken, why: string): [string, string] | undefined {
  const [, name = ''] = MISSING.exec(why) ?? [];
  return name === '' ? undefined : [`--${name} needs a value.`, described(options, name)];
}

/** An option as the help describes it. */
function described(options: OptionTable, name: string): string {
  const { value = 'VALUE', about } = options[name] ?? {};
  return `--${name} ${value}: ${about}.`;
}

/** An option stands where the value of another one is expected; a negative number looks like an option too. */
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

/** A prompt that begins with a dash is taken for options, letter by letter. */
function optionMistake(
  { promptAfter }: Mistaken,
  args: readonly string[],
  why: string,
): [string, string] | undefined {
  const [, option = ''] = UNKNOWN.exec(why) ?? [];
  if (option === '' || !isPromptMeant(promptAfter, args)) return undefined;
  const found = option.startsWith('--') ? undefined : args.find((arg) => isGroup(arg, option));
  const group = found && oneLine(found, SHOWN);
  return [
    group ? `Unknown option '${option}' in '${group}'.` : `Unknown option '${option}'.`,
    `A prompt that begins with a dash must stand behind "--": ${promptAfter} -- "${group ?? option}".`,
  ];
}

/** Of a command with words of its own only some take a prompt. */
function isPromptMeant(promptAfter: string | undefined, args: readonly string[]): boolean {
  const word = promptAfter?.split(' ')[2];
  return promptAfter !== undefined && (word === undefined || args.includes(word));
}

function isGroup(arg: string, option: string): boolean {
  return /^-[^-]./.test(arg) && arg.includes(option.slice(1));
}
