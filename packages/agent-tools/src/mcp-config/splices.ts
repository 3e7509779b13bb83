/** A part of a text that is replaced; an empty one is an insertion. */
export type Splice = { start: number; end: number; text: string };

/** Items in brackets with commas between them, and where each of them is. */
export type ItemList = {
  /** The place after the opening bracket. */
  open: number;
  /** The place of the closing bracket. */
  close: number;
  items: readonly { start: number; end: number }[];
};

/** Syntax of comments in a format. */
type Comments = {
  /** Blanks and comments, also over several lines. */
  skip: RegExp;
  /** Blanks and at most one comment, up to the end of the line. */
  restOfLine: RegExp;
};

export const JSON_COMMENTS: Comments = {
  skip: /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y,
  restOfLine: /[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?=\r?\n|$)/y,
};
export const TOML_COMMENTS: Comments = {
  skip: /(?:\s|#[^\n]*)*/y,
  restOfLine: /[ \t]*(?:#[^\r\n]*)?(?=\r?\n|$)/y,
};

/** An item in the two forms in which it can be inserted. */
export type NewItem = { inline: string; lines(indent: string): string };

/** Replaces parts of a text that do not overlap; of two insertions at one place the first comes first. */
export function spliced(text: string, splices: readonly Splice[]): string {
  return splices
    .toReversed()
    .sort((a, b) => b.start - a.start)
    .reduce(
      (rest, { start, end, text: part }) => rest.slice(0, start) + part + rest.slice(end),
      text,
    );
}

/** Adds an item at the end, in the way in which the last item is written; nothing that is there changes. */
export function insertItem(
  text: string,
  { open, close, items }: ItemList,
  item: NewItem,
  { comments, unit }: { comments: Comments; unit: string },
): Splice[] {
  const eol = eolOf(text);
  const last = items.at(-1);
  if (!last) return insertFirst(text, { open, close }, item, unit);
  const comma = commaAfter(text, last.end, comments);
  const indent = text.slice(lineStart(text, last.start), last.start);
  const rest = endOfRest(text, (comma ?? last.end - 1) + 1, comments);
  if (isBlank(indent) && rest !== undefined && rest < close) {
    const line = eol + indent + item.lines(indent);
    if (comma !== undefined) return [insertion(rest, `${line},`)];
    return [insertion(last.end, ','), insertion(rest, line)];
  }
  if (comma !== undefined) return [insertion(comma + 1, ` ${item.inline},`)];
  return [insertion(last.end, `, ${item.inline}`)];
}

function insertFirst(
  text: string,
  { open, close }: Pick<ItemList, 'open' | 'close'>,
  item: NewItem,
  unit: string,
): Splice[] {
  const eol = eolOf(text);
  const inside = text.slice(open, close);
  const atLineOfOpen = /^[ \t]*/.exec(text.slice(lineStart(text, open)))?.[0] ?? '';
  if (inside.trim() === '' && !inside.includes('\n')) {
    const indent = atLineOfOpen + unit;
    return [insertion(open, eol + indent + item.lines(indent) + eol + atLineOfOpen)];
  }
  const start = lineStart(text, close);
  const beforeClose = text.slice(start, close);
  if (start < open || !isBlank(beforeClose)) return [insertion(close, ` ${item.inline} `)];
  const indent = beforeClose + unit;
  return [insertion(start, indent + item.lines(indent) + eol)];
}

/** Removes an item with its comma, and its line if nothing else is there. */
export function removeItem(
  text: string,
  { items }: ItemList,
  index: number,
  comments: Comments,
): Splice[] {
  const item = items[index];
  if (!item) return [];
  const before = items[index - 1];
  const comma = commaAfter(text, item.end, comments);
  const commaBefore = before && commaAfter(text, before.end, comments);
  const end = comma === undefined ? item.end : comma + 1;
  const orphaned =
    comma === undefined && commaBefore !== undefined
      ? [{ start: commaBefore, end: commaBefore + 1, text: '' }]
      : [];
  const start = lineStart(text, item.start);
  const rest = endOfRest(text, end, comments);
  const isAlone = isBlank(text.slice(start, item.start)) && rest !== undefined;
  if (isAlone) return [...orphaned, { start, end: afterEol(text, rest), text: '' }];
  if (commaBefore === undefined) {
    const blanks = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
    return [{ start: item.start, end: end + blanks, text: '' }];
  }
  const isNext = text.slice(commaBefore + 1, item.start).trim() === '';
  return [...orphaned, { start: isNext ? commaBefore + 1 : item.start, end, text: '' }];
}

/** The place where the line of a place begins. */
export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** The end of a line, before its line break, if only blanks and a comment are left of it. */
export function endOfRest(text: string, at: number, { restOfLine }: Comments): number | undefined {
  const found = matchAt(restOfLine, text, at);
  return found === undefined ? undefined : at + found.length;
}

/** The place after the line break at a place. */
export function afterEol(text: string, at: number): number {
  if (text.startsWith('\r\n', at)) return at + 2;
  return text[at] === '\n' ? at + 1 : at;
}

/** The line break of a text: that of its first line. */
export function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** True if a text has nothing but blanks and comments. */
export function isEmpty(text: string, { skip }: Comments): boolean {
  return matchAt(skip, text, 0) === text;
}

export function insertion(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

function commaAfter(text: string, at: number, { skip }: Comments): number | undefined {
  const place = at + (matchAt(skip, text, at)?.length ?? 0);
  return text[place] === ',' ? place : undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function isBlank(text: string): boolean {
  return /^[ \t]*$/.test(text);
}
