import { stripVTControlCharacters } from 'node:util';

/** Longer texts are cut to their end, where the reason usually stands. */
export const ERROR_TEXT_LIMIT = 500;

/** What standard error says, without the lines that an agent always prints, and not too long. */
export function errorText(stderr: string, noise: readonly RegExp[] = []): string {
  const lines = stripVTControlCharacters(stderr)
    .split('\n')
    .filter((line) => !noise.some((pattern) => pattern.test(line)));
  return tail(lines.join('\n').trim());
}

/** The end of a text that is longer than an error text may be. */
export function tail(text: string): string {
  return text.length > ERROR_TEXT_LIMIT ? text.slice(-ERROR_TEXT_LIMIT) : text;
}
