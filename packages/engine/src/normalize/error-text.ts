import { stripVTControlCharacters } from 'node:util';
import { beginningOf, withoutLastBreaks } from '@baton/protocol/values';

/** Longer texts lose their middle. */
export const ERROR_TEXT_LIMIT = 500;

/** Returns the text on standard error, without the lines that an agent always prints, and not too long. */
export function errorText(stderr: string, noise: readonly RegExp[] = []): string {
  const text = withoutLastBreaks(withoutNoise(stderr, noise));
  return text.trim() === '' ? '' : withoutMiddle(text);
}

/** The whole of standard error, without colours and the lines that an agent always prints. */
export function withoutNoise(stderr: string, noise: readonly RegExp[] = []): string {
  return stripVTControlCharacters(stderr)
    .split('\n')
    .filter((line) => !noise.some((pattern) => pattern.test(line)))
    .join('\n');
}

/** A text that is longer than an error text may be, without its middle: the cause stands at either end. */
export function withoutMiddle(text: string): string {
  if (text.length <= ERROR_TEXT_LIMIT) return text;
  const kept = ERROR_TEXT_LIMIT - omission(text.length).length;
  const head = beginningOf(text, Math.floor(kept / 2));
  // The cut must not go through a character that takes two units.
  const end = text.slice(-Math.ceil(kept / 2)).replace(/^[\uDC00-\uDFFF]/, '');
  return `${head}${omission(text.length - head.length - end.length)}${end}`;
}

function omission(characters: number): string {
  return ` … (${characters} characters omitted) … `;
}
