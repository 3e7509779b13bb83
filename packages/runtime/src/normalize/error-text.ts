import { stripVTControlCharacters } from 'node:util';
import { withoutLastBreaks } from '@baton/protocol';

/** Longer texts are cut to their end, where the reason usually stands. */
export const ERROR_TEXT_LIMIT = 500;

/** What standard error says, without the lines that an agent always prints, and not too long. */
export function errorText(stderr: string, noise: readonly RegExp[] = []): string {
  const lines = stripVTControlCharacters(stderr)
    .split('\n')
    .filter((line) => !noise.some((pattern) => pattern.test(line)));
  const text = withoutLastBreaks(lines.join('\n'));
  return text.trim() === '' ? '' : tail(text);
}

/** The end of a text that is longer than an error text may be. */
export function tail(text: string): string {
  if (text.length <= ERROR_TEXT_LIMIT) return text;
  // The cut must not go through a character that takes two units.
  return text.slice(-ERROR_TEXT_LIMIT).replace(/^[\uDC00-\uDFFF]/, '');
}
