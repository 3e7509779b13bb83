import { eastAsianWidth } from 'get-east-asian-width';

const TAB_STOP = 8;
/** ASCII, Latin letters and common punctuation: one column each. */
const NARROW = /^[ -~\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027]*$/;
const ZERO_WIDTH = /^[\p{Mark}\p{Control}\p{Default_Ignorable_Code_Point}]/u;
/** A flag, or a character followed by the selector that makes it an emoji. */
const WIDE_EMOJI = /^\p{Regional_Indicator}{2}|\uFE0F/u;

const segmenter = new Intl.Segmenter();

/** Rows count from where a text begins. The column equals the width of the terminal if the last row is full. */
export type Cursor = { row: number; column: number };

/** Where the cursor is after a terminal has shown a text from the start of a row. The text has no control sequences. */
export function cursorAfter(text: string, columns: number): Cursor {
  const lines = text.split('\n');
  let row = lines.length - 1;
  let column = 0;
  for (const line of lines) {
    const end = endOfLine(line, columns);
    row += end.row;
    column = end.column;
  }
  return { row, column };
}

/** What an edit of shown text does: go back to the cursor, erase what follows, and write the rest. */
export type Rewrite = { up: number; column: number; rest: string };

/** Finds the least that must be written to turn a text on the screen, with the cursor at its end, into another. */
export function rewrite(shown: string, wanted: string, columns: number): Rewrite {
  const same = shown.slice(0, commonLength(shown, wanted));
  const lineStart = same.lastIndexOf('\n') + 1;
  const common = commonGraphemes(lineFrom(shown, lineStart), lineFrom(wanted, lineStart));
  // After a full row the cursor is at no position that it can be moved to, so the last character is written again.
  while (cursorAfter(common.join(''), columns).column === columns) common.pop();
  const kept = common.join('');
  const start = cursorAfter(kept, columns);
  const end = cursorAfter(shown.slice(lineStart), columns);
  return {
    up: end.row - start.row,
    column: start.column,
    rest: wanted.slice(lineStart + kept.length),
  };
}

function endOfLine(line: string, columns: number): Cursor {
  if (line === '') return { row: 0, column: 0 };
  if (NARROW.test(line)) {
    const row = Math.floor((line.length - 1) / columns);
    return { row, column: line.length - row * columns };
  }
  let row = 0;
  let column = 0;
  for (const grapheme of graphemesOf(line)) {
    if (grapheme === '\t') {
      if (column < columns) column = Math.min(nextTabStop(column), columns - 1);
      continue;
    }
    const width = widthOf(grapheme);
    if (column + width > columns) {
      row += 1;
      column = 0;
    }
    column += width;
  }
  return { row, column };
}

function nextTabStop(column: number): number {
  return (Math.floor(column / TAB_STOP) + 1) * TAB_STOP;
}

function widthOf(grapheme: string): number {
  if (ZERO_WIDTH.test(grapheme)) return 0;
  if (WIDE_EMOJI.test(grapheme)) return 2;
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}

function lineFrom(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.slice(start) : text.slice(start, end);
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** The characters that two lines begin with. A combining mark makes its character another one. */
function commonGraphemes(one: string, other: string): string[] {
  const others = graphemesOf(other);
  const common: string[] = [];
  for (const grapheme of graphemesOf(one)) {
    if (grapheme !== others[common.length]) break;
    common.push(grapheme);
  }
  return common;
}

function graphemesOf(line: string): string[] {
  if (NARROW.test(line)) return line.split('');
  return Array.from(segmenter.segment(line), ({ segment }) => segment);
}
