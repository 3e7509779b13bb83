import { stripVTControlCharacters, styleText } from 'node:util';
import { beginningOf, showUnseenInText } from '@baton/protocol';

type Stream = NodeJS.WriteStream;
type Format = Parameters<typeof styleText>[0];

/** Colours a text for a stream; without a terminal, or when colours are not wanted, it stays plain. */
export function style(stream: Stream, format: Format, text: string): string {
  return styleText(format, text, { stream });
}

/** Everything but line feed and tab that a terminal would obey instead of show. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** Takes everything out of an agent's text that could move the cursor or change the terminal. */
export function safe(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROL, '');
}

/** What a person is asked: also with marks for what turns the direction of writing or cannot be seen. */
export function asked(text: string): string {
  return showUnseenInText(safe(text));
}

/** Marks that change the direction of writing, also of what stands behind them. */
const DIRECTION = /[\u202A-\u202E\u2066-\u2069]/g;

/** One line of a text, cut to a width. */
export function oneLine(text: string, width: number): string {
  const plain = safe(text).replaceAll(DIRECTION, '');
  // Spaces between words stay: those of a path are a part of it.
  const flat = plain.replaceAll(/\s*[^\S ]\s*/g, ' ').trim();
  return flat.length > width ? `${beginningOf(flat, Math.max(width - 1, 0))}…` : flat;
}
