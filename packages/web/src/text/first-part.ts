import { beginningOf } from '@baton/protocol';
import { count, some } from './amounts.ts';
import { isTurned } from './right-to-left.ts';

/** Number of lines that are shown initially. */
const LINES = 14;
const CHARACTERS = 1000;
/** A shorter rest is not hidden. */
const FEW = { lines: 2, characters: 200 };

/** Characters that are added each time the user asks for more: rendering and reordering them is slow. */
export function pieceOf(text: string): number {
  return isTurned(text) ? 10_000 : 100_000;
}

/** A part of a text, and a label for the next part; undefined if the text is complete. */
type Part = { shown: string; more?: string };

/** Returns the beginning of a text that the user has to judge. */
export function firstPart(text: string): Part {
  const lines = text.split('\n');
  const isLow = lines.length <= LINES + FEW.lines;
  if (isLow && text.length <= CHARACTERS + FEW.characters) return { shown: text };
  const first = isLow ? text : lines.slice(0, LINES).join('\n');
  if (first.length > CHARACTERS) return partOf(text, CHARACTERS);
  if (text.length > first.length + pieceOf(text)) return partOf(text, first.length);
  const left = lines.length - LINES - (text.endsWith('\n') ? 1 : 0);
  return { shown: first, more: some(left, 'more line') };
}

/** Cuts a text to a length. */
export function partOf(text: string, most: number): Part {
  if (text.length <= most) return { shown: text };
  const shown = beginningOf(text, most);
  return { shown, more: moreWords(text.length - shown.length, pieceOf(text)) };
}

function moreWords(left: number, piece: number): string {
  return left > piece
    ? `${count(piece)} of ${count(left)} more characters`
    : some(left, 'more character');
}
