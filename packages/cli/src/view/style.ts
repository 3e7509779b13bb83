import { stripVTControlCharacters, styleText } from 'node:util';
import { inOneLine, showUnseenInText } from '@baton/protocol/values';
import { cutToWidth } from './text-width.ts';

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

/** Text of an agent, for example in a question: `safe`, and with marks for invisible and bidirectional characters. */
export function asked(text: string): string {
  return showUnseenInText(safe(text));
}

/** One line of a text, cut to a number of columns. */
export function oneLine(text: string, width: number): string {
  const flat = inOneLine(safe(text));
  const fitting = cutToWidth(flat, Math.max(width, 0));
  return fitting === flat ? flat : `${cutToWidth(fitting, Math.max(width - 1, 0))}…`;
}
