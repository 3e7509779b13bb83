import { beginningOf } from '@baton/protocol';
import { some } from './amounts.ts';

/** So much is seen at a glance. */
const LINES = 14;
const CHARACTERS = 1000;
/** Less than this is not worth hiding. */
const FEW = { lines: 2, characters: 200 };

/** The beginning of a text that somebody has to judge, and in words how much more there is; nothing when it is all. */
export function firstPart(text: string): { shown: string; more?: string } {
  const lines = text.split('\n');
  const isLow = lines.length <= LINES + FEW.lines;
  if (isLow && text.length <= CHARACTERS + FEW.characters) return { shown: text };
  const first = isLow ? text : lines.slice(0, LINES).join('\n');
  if (first.length > CHARACTERS) {
    const shown = beginningOf(first, CHARACTERS);
    return { shown, more: some(text.length - shown.length, 'more character') };
  }
  const left = lines.length - LINES - (text.endsWith('\n') ? 1 : 0);
  return { shown: first, more: some(left, 'more line') };
}
