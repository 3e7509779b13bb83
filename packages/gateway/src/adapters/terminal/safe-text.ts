import { stripVTControlCharacters } from 'node:util';
import { inOneLine, showUnseenInText } from '@baton/protocol';

/** Everything but line feed and tab that a terminal would obey instead of show. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** The text of an agent without anything that could move the cursor or change the terminal. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROL, '');
}

/**
 * The text of a request that a user decides about: control sequences and invisible characters are shown as marks, so
 * that nothing is hidden.
 */
export function safeRequest(text: string): string {
  return showUnseenInText(text).replaceAll(CONTROL, '');
}

/** A label or a name: one line, with marks for what cannot be seen. */
export function safeLabel(text: string): string {
  return inOneLine(safeRequest(text));
}
