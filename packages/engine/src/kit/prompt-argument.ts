import type { Launch } from '../definition/driver.ts';

/** Linux accepts at most 128 KiB in one argument; the rest is for the text around it. */
const ARGUMENT_BYTES = 100_000;

/** True if a text is short enough for one argument. */
export function fitsArgument(text: string): boolean {
  return Buffer.byteLength(text) <= ARGUMENT_BYTES;
}

/** A prompt for a process that takes it at its start: as an argument, or on standard input. */
export type PromptArgument = {
  argument: string | undefined;
  stdin: Exclude<Launch['stdin'], 'open'>;
};

/**
 * Makes a prompt an argument, unless it is too long for one or would be taken for a flag or for one of `commands`, the
 * agent's own subcommands. Then it goes to standard input.
 */
export function promptArgument(text: string, commands?: ReadonlySet<string>): PromptArgument {
  const isArgument = fitsArgument(text) && !text.startsWith('-') && !commands?.has(text);
  if (isArgument) return { argument: text, stdin: 'none' };
  return { argument: undefined, stdin: { text } };
}

/** A flag with its value, or nothing without one. */
export function flag(name: string, value: string | number | undefined): string[] {
  return value === undefined || value === '' ? [] : [name, String(value)];
}

/** A flag that is repeated for every value. */
export function each(name: string, values: readonly string[] = []): string[] {
  return values.flatMap((value) => [name, value]);
}
